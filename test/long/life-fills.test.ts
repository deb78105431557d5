/** Fills of a life on a true chain: what the logs say, and what the accounts are afterwards. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LogDecoder } from '../../src/engine/events.js';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { makerBytes } from '../../src/sim/market/accounts.js';
import { rpc } from '../support/chain-listener.js';
import { type Fill, readFill } from '../support/logged-records.js';
import { SteppedDemo } from '../support/stepped-demo.js';
import { until } from '../support/until.js';

const FILLS = 40;
const STEPS = 100;
/** A life makes its first fill at once, and needs a second of the chain for each so many. */
const FILLS_PER_SECOND = 20;
const ROUNDS_MAX = 60;
/** The transactions of a slot that is not over are listed in another order. */
const SLOTS_LISTED = 2;

let demo: SteppedDemo;
let fills: readonly Fill[] = [];

beforeAll(async () => {
  const options = { seed: 17, makers: 40, slotTimeMs: 100, fillsPerSecond: FILLS_PER_SECOND };
  demo = await SteppedDemo.start(options);
  for (let round = 0; fills.length < FILLS && round < ROUNDS_MAX; round += 1) {
    await demo.step(STEPS);
    await slotsPass(SLOTS_LISTED);
    fills = await readFills();
  }
});

afterAll(async () => {
  await demo?.stop();
});

async function slotsPass(count: number): Promise<void> {
  const last = demo.clock.slot + count;
  await until(() => demo.clock.slot >= last);
}

/** All fills that the chain's transactions have logged, oldest first. */
async function readFills(): Promise<Fill[]> {
  const { rpcUrl } = demo.chain;
  const decoder = new LogDecoder(PROGRAM_ID);
  const listed = await rpc<{ signature: string; err: unknown }[]>(
    rpcUrl,
    'getSignaturesForAddress',
    [PROGRAM_ID, { limit: 1_000, commitment: 'confirmed' }],
  );
  const found: Fill[] = [];
  for (const { signature, err } of listed.reverse()) {
    expect(err).toBeNull();
    const config = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
    const { meta } = await rpc<{ meta: { logMessages: string[] } }>(rpcUrl, 'getTransaction', [
      signature,
      config,
    ]);
    const events = decoder.decode(meta.logMessages);
    expect(events.unreadable).toBe(0);
    expect(events.isPartial).toBe(false);
    const fills = events.records.filter(({ fill }) => fill !== null);
    found.push(...fills.map(({ bytes, index }) => readFill(bytes, index)));
  }
  return found;
}

test('are read from its logs, with ids in a row and up to the account of the market', async () => {
  expect(fills.length).toBeGreaterThanOrEqual(FILLS);
  const last = new Map<string, bigint>();
  for (const { marketType, marketIndex, fillRecordId } of fills) {
    const market = `${marketType} ${marketIndex}`;
    const before = last.get(market);
    if (before !== undefined) expect(fillRecordId).toBe(before + 1n);
    last.set(market, fillRecordId ?? 0n);
  }
  expect(last.size).toBe(4);
  for (const { name, marketType, marketIndex, nextFillRecordId } of demo.life.markets) {
    const id = last.get(`${marketType === 1 ? 'perp' : 'spot'} ${marketIndex}`);
    expect([name, nextFillRecordId]).toEqual([name, (id ?? 0n) + 1n]);
  }
});

test('leave every account of a maker on the chain as the life has it', async () => {
  const accounts = new Map((await demo.accounts()).map(({ pubkey, data }) => [pubkey, data]));
  for (const maker of demo.life.makers) {
    expect(accounts.get(maker.pubkey)?.equals(makerBytes(maker, 'drift'))).toBe(true);
  }
  const makers = new Set(demo.life.makers.map(({ pubkey }) => pubkey));
  for (const { taker, maker } of fills) {
    expect(makers.has(taker ?? '')).toBe(true);
    expect(maker === null || makers.has(maker)).toBe(true);
  }
});
