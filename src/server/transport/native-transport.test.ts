import { expect, test } from 'vitest';
import { transportVersion } from './native-transport.js';

test('the version of the transport is the one that this service was tried with', () => {
  expect(transportVersion).toBe('3.0.6');
});
