/** `slotbook backfill` against a scripted ledger, into a file on disk. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  Ledger,
  LedgerNode,
  type LedgerTransaction,
  timeOfSlot,
} from '../../test/scripted-ledger.js';
import { fillLog } from '../../test/support/fill-log.js';
import { PROGRAM } from '../../test/support/ingest-rig.js';
import { systemTimers } from '../rpc/timers.js';
import { type BackfillOptions, type BackfillProgress, backfill } from './backfill.js';
import { candleRules } from './candles/rules.js';
import { openStore } from './store/store.js';
import { cleanUp, fundingRate, newFolder, readTrades, transaction } from './store/testing.js';

/** Pages of a hundred: as many pages, in a tenth of the time. */
vi.mock(import('./model/limits.js'), async (original) => {
  return { ...(await original()), PAGE_SIGNATURES: 100 as 1_000 };
});

const COUNT = 150;
const PER_SLOT = 4;

let ledger: Ledger;
let node: LedgerNode;
let folder: string;
let made: LedgerTransaction[];

beforeEach(async () => {
  ledger = new Ledger();
  node = await LedgerNode.start(ledger);
  folder = newFolder();
  made = [];
  for (let id = 1; id <= COUNT; id += 1) {
    if (id % PER_SLOT === 1) ledger.tick();
    made.push(ledger.add(fillLog(id, timeOfSlot(ledger.slot))));
  }
  ledger.tick(40);
});

afterEach(async () => {
  await node.stop();
  cleanUp();
});

function run(options: Partial<BackfillOptions> = {}): Promise<BackfillProgress> {
  return backfill({
    timers: systemTimers,
    nodes: [node.urls],
    programId: PROGRAM,
    dataDir: folder,
    requestsPerSecond: 100_000,
    from: { ts: 0 },
    to: null,
    onProgress: () => undefined,
    signal: new AbortController().signal,
    ...options,
  });
}

/** The numbers of the stored fills, in chain order. */
async function storedIds(): Promise<readonly number[]> {
  const { genesisHash } = ledger;
  const options = { folder, genesisHash, rules: candleRules, decimalsOf: () => 9 };
  const store = await openStore(options);
  const ids: number[] = [];
  for (let offset = 0; ; offset += 1_000) {
    const page = readTrades(store, { market: 'perp_0', limit: 1_000, offset });
    ids.push(...page.map(({ fillRecordId }) => Number(fillRecordId)));
    if (page.length < 1_000) break;
  }
  store.close();
  return ids.reverse();
}

function ids(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

/** The slot of a fill's transaction. */
function transactionOf(id: number): LedgerTransaction {
  const found = made[id - 1];
  if (found === undefined) throw new Error(`no fill has the number ${id}`);
  return found;
}

describe('a back-fill that was asked for', () => {
  test('reads all, in the order of the chain', async () => {
    const shares: number[] = [];
    const last = await run({ onProgress: ({ share }) => shares.push(share) });
    expect(last).toMatchObject({ share: 1, signatures: COUNT, trades: COUNT, retryReason: null });
    expect(await storedIds()).toEqual(ids(1, COUNT));
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  });

  test('stopped, goes on with the page that it had not stored', async () => {
    const stopping = new AbortController();
    const stopped = run({ onProgress: () => stopping.abort(), signal: stopping.signal });
    await expect(stopped).rejects.toBeDefined();
    const before = node.rpc.count('getTransaction');
    expect(before).toBeLessThan(COUNT);
    await run();
    expect(await storedIds()).toEqual(ids(1, COUNT));
    expect(node.rpc.count('getTransaction')).toBe(COUNT);
  });

  test('names what the node refuses, and stores the rest and what is given at the end', async () => {
    const [refused, late] = [transactionOf(50), transactionOf(149)];
    let tries = 0;
    node.suffer({
      instead: (method, [signature]) => {
        if (method !== 'getTransaction') return undefined;
        if (signature === late.signature) tries += 1;
        const isLate = signature === late.signature && tries < 3;
        if (signature !== refused.signature && !isLate) return undefined;
        return { error: { code: -32_603, message: 'Internal error' } };
      },
    });
    const { unavailable, trades } = await run();
    expect([unavailable, trades]).toEqual([[refused.signature], COUNT - 1]);
    expect(await storedIds()).toEqual(ids(1, COUNT).filter((id) => id !== 50));
    node.suffer({ instead: () => undefined });
    expect(await run()).toMatchObject({ unavailable: [], trades: COUNT });
  });

  test('takes a signature that the node lists and refuses for its end', async () => {
    const { signature } = transactionOf(130);
    node.suffer({
      instead: (method, [asked]) => {
        if (method !== 'getTransaction' || asked !== signature) return undefined;
        return { error: { code: -32_015, message: 'Transaction version is not supported' } };
      },
    });
    await run({ to: { signature } });
    expect(await storedIds()).toEqual(ids(1, 129));
  });

  test('takes times for its ends', async () => {
    const from = { ts: timeOfSlot(transactionOf(41).slot) };
    const to = { ts: timeOfSlot(transactionOf(81).slot) };
    await run({ from, to });
    const stored = await storedIds();
    // Times are whole seconds, and a second contains a few slots.
    expect(stored).toEqual(ids(stored[0] ?? 0, stored.at(-1) ?? 0));
    expect(stored).toEqual(expect.arrayContaining([...ids(41, 80)]));
    expect(stored.length).toBeLessThanOrEqual(40 + 6 * PER_SLOT);
  });

  /** The node lists these fills without a block time. */
  function hideTimes(isHidden: (id: number) => boolean): void {
    node.suffer({
      instead: (method, [, config]) => {
        if (method !== 'getSignaturesForAddress') return undefined;
        const { before, limit } = config as { readonly before?: string; readonly limit: number };
        const start = ledger.listed.findIndex(({ signature }) => signature === before) + 1;
        const rows = ledger.listed.slice(start, start + limit).map((one) => {
          const blockTime = isHidden(made.indexOf(one) + 1) ? null : timeOfSlot(one.slot);
          return { ...one, err: null, blockTime };
        });
        return { result: rows };
      },
    });
  }

  test.each([
    ['in the range', 61],
    ['at its newer end', 90],
  ])('reads the whole range where a row %s has no time', async (_, hidden) => {
    hideTimes((id) => id === hidden);
    const from = { ts: timeOfSlot(transactionOf(41).slot) };
    await run({ from, to: { ts: timeOfSlot(transactionOf(90).slot) } });
    expect(await storedIds()).toEqual(expect.arrayContaining([...ids(41, 90)]));
  });

  test('begins at a signature where the row before it has no time', async () => {
    hideTimes((id) => id === 120);
    await run({ from: { signature: transactionOf(121).signature } });
    const stored = await storedIds();
    expect(stored).toEqual(expect.arrayContaining([...ids(121, COUNT)]));
    expect(stored.length).toBeLessThanOrEqual(30 + 4 * PER_SLOT);
  });

  test('to a time fails where a node has no times', async () => {
    hideTimes(() => true);
    const to = { ts: timeOfSlot(transactionOf(90).slot) };
    await expect(run({ to })).rejects.toMatchObject({ code: 'MALFORMED_HISTORY_ANSWER' });
  });

  test('ends its search at the oldest signature of a node that repeats the last one', async () => {
    const oldest = transactionOf(1);
    let lists = 0;
    node.suffer({
      instead: (method, [, config]) => {
        if (method !== 'getSignaturesForAddress') return undefined;
        lists += 1;
        const { before } = config as { readonly before?: string };
        if (lists > 20) return { error: { code: -32_603, message: 'Internal error' } };
        if (before !== oldest.signature) return undefined;
        return { result: [{ ...oldest, err: null, blockTime: timeOfSlot(oldest.slot) }] };
      },
    });
    await run({ to: { ts: 1 } });
    expect(await storedIds()).toEqual([]);
    expect(lists).toBeLessThan(10);
  });

  test('takes signatures for its ends', async () => {
    const from = { signature: transactionOf(50).signature };
    await run({ from, to: { signature: transactionOf(130).signature } });
    const stored = await storedIds();
    expect(stored).toEqual(expect.arrayContaining([...ids(50, 129)]));
    expect(stored.at(-1)).toBe(129);
    expect(stored.length).toBeLessThanOrEqual(80 + 4 * PER_SLOT);
  });

  test('refuses a signature that the node does not know', async () => {
    const from = { signature: new Ledger(9).add([]).signature.replace(/^./, '2') };
    await expect(run({ from })).rejects.toMatchObject({ code: 'INVALID_PARAM' });
  });

  test.each([
    ['a time', () => ({ ts: timeOfSlot(transactionOf(121).slot) })],
    ['a signature', () => ({ signature: transactionOf(121).signature })],
  ])('refuses %s from before what retention has deleted, before it reads', async (_, from) => {
    const { genesisHash } = ledger;
    const options = { folder, genesisHash, rules: candleRules, decimalsOf: () => 9 };
    const store = await openStore(options);
    const line = timeOfSlot(transactionOf(141).slot);
    const fundingRates = [fundingRate({ ts: line + 1 })];
    store.writeBatch({ transactions: [transaction({ slot: 999, isFinal: true, fundingRates })] });
    store.retireRows({ recordsBefore: { trade: line } });
    store.close();
    const earliest = new Date(line * 1_000).toISOString();
    await expect(run({ from: from() })).rejects.toMatchObject({
      code: 'OUT_OF_RANGE',
      message: expect.stringContaining(earliest),
    });
    expect(node.rpc.count('getTransaction')).toBeLessThanOrEqual(1);
    await run({ from: { ts: line } });
    const stored = await storedIds();
    expect(stored).toEqual(ids(stored[0] ?? 0, COUNT));
    expect(stored).toEqual(expect.arrayContaining([...ids(141, COUNT)]));
  });

  test('is refused while another has the file', async () => {
    const { genesisHash } = ledger;
    const options = { folder, genesisHash, rules: candleRules, decimalsOf: () => 9 };
    const store = await openStore(options);
    await expect(run()).rejects.toMatchObject({ code: 'STORE_FAILED', reason: 'locked' });
    store.close();
  });
});
