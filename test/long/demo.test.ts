import { afterEach, expect, test, vi } from 'vitest';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { type Demo, type DemoOptions, startDemo } from '../../src/sim/demo/demo.js';
import { Listener, rpc } from '../support/chain-listener.js';

const DEADLINE = { timeout: 60_000, interval: 20 };
const PROCESSED = { encoding: 'base64', commitment: 'processed', withContext: true };

interface Snapshot {
  context: { slot: number };
  value: { pubkey: string; account: { data: [string, string]; owner: string } }[];
}

let demo: Demo | undefined;

async function start(options: DemoOptions): Promise<Demo> {
  demo = await startDemo({ makers: 20, slotTimeMs: 100, ...options });
  return demo;
}

afterEach(async () => {
  await demo?.stop();
  demo = undefined;
});

function snapshot({ rpcUrl }: Demo): Promise<Snapshot> {
  return rpc<Snapshot>(rpcUrl, 'getProgramAccounts', [PROGRAM_ID, PROCESSED]);
}

test('a started demo has State, markets, oracles and makers on the chain', async () => {
  const { value } = await snapshot(await start({}));
  const sizes = value.map(({ account }) => Buffer.from(account.data[0], 'base64').length);
  const count = (size: number) => sizes.filter((other) => other === size).length;
  expect([992, 1216, 776, 48, 4376].map(count)).toEqual([1, 3, 2, 3, 20]);
});

test('fills and funding rates are transactions that subscribers of logs hear of', async () => {
  const running = await start({ rate: 200, fillsPerSecond: 5, fundingSeconds: 1 });
  const listener = await Listener.open(running.wsUrl, [
    ['logsSubscribe', [{ mentions: [PROGRAM_ID] }, { commitment: 'confirmed' }]],
  ]);
  const { sent } = running.stats();
  await vi.waitFor(() => expect(running.stats().sent).toBeGreaterThan(sent + 10), DEADLINE);
  await vi.waitFor(() => expect(listener.heard.length).toBeGreaterThan(10), DEADLINE);
});

test('a failing chain ends the life with an error that says so', async () => {
  const running = await start({ rate: 100 });
  const done = expect(running.done).rejects.toMatchObject({
    code: 'CHAIN_EXITED',
    message: 'the local chain ended with SIGKILL',
  });
  await running.chain.kill();
  await done;
});

test('a chain that stands still is waited for, and what it cannot take is given up', async () => {
  const running = await start({ rate: 500 });
  running.chain.pause();
  const { written, givenUp } = running.stats();
  await vi.waitFor(() => expect(running.stats().givenUp).toBeGreaterThan(givenUp + 100), DEADLINE);
  expect(running.stats().written - written).toBeLessThan(100);
  running.chain.resume();
  await vi.waitFor(() => expect(running.stats().written - written).toBeGreaterThan(100), DEADLINE);
});

test('stopping a demo on a paused chain does not hang, and done is fulfilled', async () => {
  const running = await start({});
  running.chain.pause();
  await running.stop();
  await running.done;
  expect(running.chain.hasEnded).toBe(true);
});
