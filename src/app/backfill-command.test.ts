import { expect, test } from 'vitest';
import { runBackfill } from './backfill-command.js';

test('a range whose end is before its beginning is refused before a node is asked', async () => {
  const flags = { rpcUrl: 'http://127.0.0.1:1', from: '2026-11-08', to: '2026-11-01' };
  const io = { output: { write: () => true }, stop: new AbortController().signal };
  await expect(runBackfill(flags, io)).rejects.toMatchObject({
    code: 'INVALID_SETTING',
    message: '--to was 2026-11-01, must not be before --from',
  });
});
