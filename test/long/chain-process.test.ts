import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { LocalChain } from '../../src/sim/chain/chain-process.js';
import { rpc } from '../support/chain-listener.js';
import { isAlive } from '../support/child-end.js';

const DEADLINE = { timeout: 60_000, interval: 20 };
const CHILD = fileURLToPath(new URL('../../src/sim/chain/surfpool-child.cjs', import.meta.url));

const SURFPOOL =
  process.platform === 'darwin'
    ? '@solana/surfpool-darwin-arm64'
    : '@solana/surfpool-linux-x64-gnu';

const started: LocalChain[] = [];

async function start(slotTimeMs: number): Promise<LocalChain> {
  const chain = await LocalChain.start({ slotTimeMs });
  started.push(chain);
  return chain;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map((chain) => chain.kill()));
});

test('a chain answers over RPC, announces its slots, and stops in order', async () => {
  const chain = await start(50);
  const slots: number[] = [];
  chain.onSlot(({ slot }) => slots.push(slot));
  await vi.waitFor(() => expect(slots.length).toBeGreaterThan(5), DEADLINE);
  expect(slots).toEqual(slots.map((_, i) => (slots[0] ?? 0) + i));
  const before = chain.clock?.slot ?? 0;
  const slot = await rpc<number>(chain.rpcUrl, 'getSlot', [{ commitment: 'processed' }]);
  expect(slot).toBeGreaterThanOrEqual(before - 1);
  await vi.waitFor(() => expect(chain.clock?.slot).toBeGreaterThanOrEqual(slot), DEADLINE);
  expect(await chain.stop()).toEqual({ code: 0, signal: null });
  expect(chain.hasEnded).toBe(true);
  expect(await chain.stop()).toEqual({ code: 0, signal: null });
});

test('a killed chain is known to have ended by the signal', async () => {
  const chain = await start(400);
  expect(await chain.kill()).toEqual({ code: null, signal: 'SIGKILL' });
});

test('the chain ends when its parent is killed', async () => {
  const script = `
    const child = require('node:child_process').fork(process.argv[1], [process.argv[2], '{"offline":true}']);
    child.on('message', (message) => { if (message.kind === 'ready') console.log(child.pid); });
    setInterval(() => {}, 1000);
  `;
  const parent = spawn(process.execPath, ['-e', script, CHILD, SURFPOOL], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: parent.stdout });
  const pid = Number(await new Promise<string>((resolve) => lines.once('line', resolve)));
  expect(isAlive(pid)).toBe(true);
  parent.kill('SIGKILL');
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), DEADLINE);
});

test('a binary that cannot be loaded is told likewise', async () => {
  const isMac = process.platform === 'darwin';
  const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue(isMac ? 'linux' : 'darwin');
  const arch = vi.spyOn(process, 'arch', 'get').mockReturnValue(isMac ? 'x64' : 'arm64');
  try {
    await expect(LocalChain.start()).rejects.toMatchObject({ code: 'CHAIN_BINARY_NOT_FOUND' });
  } finally {
    arch.mockRestore();
    platform.mockRestore();
  }
});
