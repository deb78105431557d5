import { expect, test } from 'vitest';
import { startDemo } from './demo.js';

test('a rate out of range is refused before anything starts', async () => {
  await expect(startDemo({ rate: 501 })).rejects.toThrow('rate was 501, must be 1 to 500');
  await expect(startDemo({ makers: 0 })).rejects.toThrow('makers was 0');
});
