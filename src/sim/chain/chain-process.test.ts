import { expect, test, vi } from 'vitest';
import { LocalChain } from './chain-process.js';

test('a platform without a binary is told how to use another chain', async () => {
  const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue('aix');
  try {
    await expect(LocalChain.start()).rejects.toThrow(/no Surfpool binary for aix-.*--rpc-url URL/);
  } finally {
    platform.mockRestore();
  }
});

test('a slot time that is no time is refused', async () => {
  await expect(LocalChain.start({ slotTimeMs: 0 })).rejects.toThrow('slotTimeMs was 0');
});
