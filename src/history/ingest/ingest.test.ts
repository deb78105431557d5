/** Ingestion against a node with the irregularities of real ones. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Ledger, LedgerNode, timeOfSlot } from '../../../test/scripted-ledger.js';
import type { Reply } from '../../../test/scripted-rpc.js';
import { BROKEN_LINE, fillLine, type IngestRig } from '../../../test/support/ingest-rig.js';
import { IngestScene } from '../../../test/support/ingest-scene.js';
import { fullDisk, MemoryStore } from '../../../test/support/memory-store.js';
import { systemTimers } from '../../rpc/timers.js';
import { UNREADABLE_MS_MAX } from '../model/limits.js';

/** Pages of a hundred: as many pages, in a tenth of the time. */
vi.mock(import('../model/limits.js'), async (original) => {
  return { ...(await original()), PAGE_SIGNATURES: 100 as 1_000 };
});

let scene: IngestScene;
let ledger: Ledger;
let node: LedgerNode;
let nextId: number;

beforeEach(async () => {
  scene = await IngestScene.start();
  ({ ledger, node } = scene);
  nextId = 1;
});

afterEach(() => scene.stop());

/** Puts fills on the chain, one per transaction, a few to a slot. */
function trade(count: number, perSlot = 3) {
  return Array.from({ length: count }, (_, made) => {
    if (made % perSlot === 0) ledger.tick();
    const transaction = ledger.add([fillLine(nextId)]);
    nextId += 1;
    return transaction;
  });
}

function ids(count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}

/** All fills are stored once, in chain order, at their final places. */
const holds = (rig: IngestRig, count: number): Promise<void> => scene.settles(rig, ids(count));

describe('live', () => {
  test('what is told is stored at once, and settled when it is final', async () => {
    const rig = await scene.live();
    for (const transaction of trade(10)) node.tell(transaction);
    await rig.until(() => expect(rig.store.ids).toEqual(ids(10)));
    expect(rig.store.isAllFinal).toBe(false);
    await holds(rig, 10);
    expect(rig.counters).toMatchObject({ fetched: 0, missed: 0, settled: 10 });
  });

  test('a notification that never came is read from the finalised list', async () => {
    const rig = await scene.live();
    const made = trade(20);
    for (const [at, transaction] of made.entries()) if (at % 4 !== 0) node.tell(transaction);
    // Notified transactions are stored before the list is final: none is fetched.
    await rig.until(() => expect(rig.store.ids).toHaveLength(15));
    await holds(rig, 20);
    expect(rig.counters).toMatchObject({ missed: 5, fetched: 5 });
  });

  test('a message that cannot be read makes it look at once what was confirmed', async () => {
    const rig = await scene.live();
    trade(3);
    node.rpc.sendText('{"jsonrpc":"2.0","method":"logsNotif');
    await rig.until(() => expect(rig.store.ids).toEqual(ids(3)));
    expect(rig.store.isAllFinal).toBe(false);
  });

  test.each([
    [
      'a signature that is none',
      { context: { slot: 1 }, value: { signature: '', err: null, logs: [] } },
    ],
    [
      'a signature of too many bytes',
      { context: { slot: 1 }, value: { signature: '2'.repeat(80), err: null, logs: [] } },
    ],
    ['a slot that is none', { context: { slot: -1 }, value: {} }],
    [
      'a slot that no cursor holds',
      { context: { slot: 2 ** 48 }, value: { signature: '1'.repeat(64), err: null, logs: [] } },
    ],
    ['lines that are none', { context: { slot: 1 }, value: { signature: 'x', logs: 'x' } }],
    ['nothing', null],
  ])('a notification with %s is counted, and changes nothing', async (_, result) => {
    const rig = await scene.live();
    node.rpc.notify(() => true, result);
    await rig.until(() => expect(rig.counters.malformedNotifications).toBe(1));
    for (const transaction of trade(1)) node.tell(transaction);
    await holds(rig, 1);
  });

  test('failed transactions are dropped, by whatever path they come', async () => {
    const rig = await scene.live();
    const failed = ledger.add([fillLine(99)], { failed: true });
    node.tell(failed);
    ledger.add([fillLine(98)], { failed: true });
    for (const transaction of trade(2)) node.tell(transaction);
    await rig.until(() => expect(rig.store.ids).toEqual(ids(2)));
    await holds(rig, 2);
    expect(rig.counters).toMatchObject({ notificationsFailed: 1, fetched: 0 });
  });

  test('a cut log is stored as such and counted', async () => {
    const rig = await scene.live();
    node.tell(ledger.add([fillLine(1), 'Log truncated']));
    await holds(rig, 1);
    expect(rig.store.truncated).toBe(1);
    expect(rig.counters.truncated).toBeGreaterThan(0);
  });

  test('a notification with an event that cannot be read is fetched', async () => {
    const rig = await scene.live();
    const made = ledger.add([fillLine(1), fillLine(2)]);
    node.tell({ ...made, lines: [fillLine(1), BROKEN_LINE] });
    const lost = ledger.add([fillLine(3)]);
    node.tell({ ...lost, lines: [BROKEN_LINE] });
    await holds(rig, 3);
    expect(rig.store.truncated).toBe(0);
    expect(rig.counters.unreadableEvents).toBe(2);
  });
});

describe('forks', () => {
  test('a transaction that a fork took back is removed, after it was asked for twice', async () => {
    const rig = await scene.live();
    const made = trade(3);
    for (const transaction of made) node.tell(transaction);
    const lost = ledger.add([fillLine(77)]);
    node.tell(lost);
    await rig.until(() => expect(rig.store.ids).toEqual([1, 2, 3, 77]));
    ledger.takeBack(lost);
    await holds(rig, 3);
    expect(rig.counters.reverted).toBe(1);
    const asked = node.rpc.requests.filter(({ method, params }) => {
      return method === 'getSignatureStatuses' && String(params[0]) === lost.signature;
    });
    expect(asked).toHaveLength(1);
  });

  test('a transaction that the list leaves out for a moment stays', async () => {
    const rig = await scene.live();
    const made = trade(3);
    for (const transaction of made) node.tell(transaction);
    await rig.until(() => expect(rig.store.ids).toEqual(ids(3)));
    let lists = 0;
    node.suffer({
      instead: (method) => {
        if (method === 'getSignaturesForAddress') lists += 1;
        if (lists !== 1) return undefined;
        // The node's whole index lags.
        if (method === 'getSignaturesForAddress') return { result: [] };
        const none = { context: { slot: 1 }, value: [null, null, null] };
        return method === 'getSignatureStatuses' ? { result: none } : undefined;
      },
    });
    await holds(rig, 3);
    expect(rig.counters.reverted).toBe(0);
  });
});

describe('what was missed', () => {
  test('an empty store is filled from the beginning, over many pages', async () => {
    trade(130, 4);
    const rig = scene.rig();
    await holds(rig, 130);
    await rig.live();
    expect(rig.stats.completeSinceTs).toBe(timeOfSlot(101));
    expect(rig.counters.fetched).toBe(130);
  });

  test('pages of logs that stay unreadable are waited for once, and other nodes are asked for a few', async () => {
    const other = await scene.addNode();
    for (let made = 0; made < 450; made += 1) {
      if (made % 4 === 0) ledger.tick();
      ledger.add([BROKEN_LINE]);
    }
    ledger.tick(40);
    const beganMs = systemTimers.nowMs();
    // The newest slots are waited for as well.
    const rig = await scene.live();
    expect(systemTimers.nowMs() - beganMs).toBeLessThan(3 * UNREADABLE_MS_MAX);
    expect(rig.store.truncated).toBe(450);
    expect(other.rpc.count('getTransaction')).toBeLessThan(150);
  });

  test('an empty store is filled no deeper than it is told, and no older', async () => {
    trade(170, 2);
    ledger.tick(40);
    // After the first page, fifty more signatures, in whole slots.
    const rig = await scene.live({ firstGap: { sinceTs: 0, left: 50 } });
    const [deepest] = rig.store.ids;
    expect(deepest).toBeGreaterThan(20 - 4);
    expect(deepest).toBeLessThanOrEqual(20 + 4);
    // That second may contain more.
    const [oldest] = rig.store.fills;
    expect(rig.stats.completeSinceTs).toBe(timeOfSlot(oldest?.slot ?? 0) + 1);
    const other = await scene.live({ firstGap: { sinceTs: timeOfSlot(120), left: 9_999 } });
    expect(other.store.fills[0]?.slot).toBeGreaterThanOrEqual(119);
    expect(other.store.fills[0]?.slot).toBeLessThan(123);
    expect(other.stats.completeSinceTs).toBe(timeOfSlot(120));
  });

  test('what the first write of a connection changes is told as well', async () => {
    const store = new MemoryStore();
    const stores = new Map([[ledger.genesisHash, store]]);
    store.owed = { ...store.finaliseTransactions([]).change, markets: new Set(['spot_1']) };
    const rig = await scene.live({ stores });
    expect(rig.changes.filter(({ markets }) => markets.has('spot_1'))).toHaveLength(1);
  });

  test('a lost connection is made again, and what came meanwhile is read', async () => {
    const rig = await scene.live();
    for (const transaction of trade(5)) node.tell(transaction);
    for (let cut = 0; cut < 3; cut += 1) {
      node.rpc.cut();
      trade(5);
      await rig.until(() => expect(rig.store.ids).toHaveLength(10 + cut * 5));
    }
    await holds(rig, 20);
  });

  test('a restart begins where the store ends', async () => {
    const first = await scene.live();
    for (const transaction of trade(5)) node.tell(transaction);
    await holds(first, 5);
    await first.stop();
    trade(7);
    const second = scene.rig({ stores: first.stores });
    await holds(second, 12);
    expect(second.counters.fetched).toBe(7);
  });

  test('a long outage is read page by page while the newest is there at once', async () => {
    const first = await scene.live();
    for (const transaction of trade(3)) node.tell(transaction);
    await holds(first, 3);
    await first.stop();
    trade(320, 6);
    ledger.tick(40);
    const second = scene.rig({ stores: first.stores });
    await second.until(() => expect(second.stats.spansOpen).toBe(1));
    expect(second.stats.completeSinceTs).toBeNull();
    expect(second.state).toBe('backfilling');
    // Stopped in the middle, it resumes from the last page.
    await second.stop();
    const third = scene.rig({ stores: first.stores });
    await holds(third, 323);
    await third.live();
    const again = second.counters.fetched + third.counters.fetched - 320;
    expect(again).toBeLessThan(101);
    expect(third.stats.completeSinceTs).toBe(timeOfSlot(101));
  });

  test('what is told while older signatures are read is there once', async () => {
    trade(110, 4);
    const rig = scene.rig();
    await rig.until(() => expect(node.rpc.subscriptions).toHaveLength(1));
    for (const transaction of trade(50)) node.tell(transaction);
    await holds(rig, 160);
  });

  test('a node without the old slots deletes nothing', async () => {
    const first = await scene.live();
    const made = trade(5);
    for (const transaction of made) node.tell(transaction);
    await holds(first, 5);
    await first.stop();
    ledger.tick(200);
    node.suffer({ firstSlot: ledger.slot });
    for (const transaction of trade(2)) node.tell(transaction);
    const second = scene.rig({ stores: first.stores });
    await holds(second, 7);
    expect(second.counters).toMatchObject({ edgeUnknown: 1, reverted: 0 });
    // The range between is missing, and its size is unknown.
    expect(second.stats.completeSinceTs).toBe(timeOfSlot(ledger.slot - 60));
  });
});

describe('failures', () => {
  test('a transaction that cannot be stored is left out, and the others are stored', async () => {
    const rig = await scene.live();
    const [bad, ...others] = trade(4);
    if (bad === undefined) throw new Error('nothing was traded');
    rig.store.refused.add(bad.signature);
    for (const transaction of [bad, ...others]) node.tell(transaction);
    await rig.until(() => expect(rig.store.ids).toEqual([2, 3, 4]));
    ledger.tick(40);
    await rig.until(() => expect(rig.store.isAllFinal).toBe(true));
    expect(rig.counters).toMatchObject({ faults: 1, storeFailures: 0 });
    expect(rig.state).toBe('live');
  });

  test('a full disk stops it, and when there is room nothing is missing', async () => {
    const rig = await scene.live();
    for (const transaction of trade(3)) node.tell(transaction);
    await rig.until(() => expect(rig.store.ids).toEqual(ids(3)));
    rig.store.broken = fullDisk();
    for (const transaction of trade(3)) node.tell(transaction);
    await rig.until(() => expect(rig.counters.storeFailures).toBe(1));
    await rig.until(() => expect(rig.state).toBe('failing'));
    expect(rig.reason).toBe('the disk is full');
    for (const transaction of trade(3)) node.tell(transaction);
    expect(rig.store.ids).toEqual(ids(3));
    await rig.until(() => expect(rig.counters.storeFailures).toBeGreaterThan(2));
    // It is logged once, however often it is tried again.
    expect(rig.warnings).toEqual(['the history waits']);
    rig.store.broken = null;
    await rig.live();
    await holds(rig, 9);
  });

  test('the next node is used when one is gone, and the first when the next one is', async () => {
    const other = await scene.addNode();
    const rig = await scene.live();
    for (const transaction of trade(3)) node.tell(transaction);
    await node.stop();
    await rig.until(() => expect(rig.counters.failovers).toBeGreaterThan(0));
    await rig.live();
    for (const transaction of trade(3)) other.tell(transaction);
    await holds(rig, 6);
  });

  test('a second node of another chain is not used', async () => {
    const stranger = await LedgerNode.start(new Ledger(2));
    const rig = await scene.live({ nodes: [node, stranger] });
    rig.followChain(ledger.genesisHash);
    node.rpc.refuseUpgradeWith = 503;
    node.rpc.cut();
    await rig.until(() => expect(rig.counters.failovers).toBeGreaterThan(2));
    expect([...rig.stores.keys()]).toEqual([ledger.genesisHash]);
    node.rpc.refuseUpgradeWith = 0;
    await rig.live();
    await stranger.stop();
  });

  test('another chain on the same node has another store', async () => {
    const rig = await scene.live();
    for (const transaction of trade(3)) node.tell(transaction);
    await holds(rig, 3);
    const old = rig.store;
    ledger = new Ledger(2);
    nextId = 1;
    scene.serve(ledger);
    rig.followChain(ledger.genesisHash);
    await rig.until(() => expect(rig.stores.size).toBe(2));
    for (const transaction of trade(2)) node.tell(transaction);
    await holds(rig, 2);
    expect(old.ids).toEqual(ids(3));
  });

  test('a history that starts again on the chain of the book opens no other', async () => {
    node.serve(new Ledger(2));
    const rig = scene.rig();
    rig.followChain(ledger.genesisHash);
    await rig.until(() => expect(rig.state).toBe('failing'));
    expect(rig.reason).toContain('of another chain');
    expect(rig.stores.size).toBe(0);
    node.serve(ledger);
    await rig.live();
    expect([...rig.stores.keys()]).toEqual([ledger.genesisHash]);
  });

  test('what a node says with a refusal is in no reason', async () => {
    node.suffer({ instead: () => ({ error: { code: -32_601, message: 'tell-tale' } }) });
    const rig = scene.rig();
    await rig.until(() => expect(rig.state).toBe('failing'));
    expect(rig.reason).toMatch(/refused with the error -32601$/);
  });

  test('a node that answers nonsense is tried again, later and later', async () => {
    let broken = true;
    node.suffer({
      instead: (method) => {
        if (!broken || method !== 'getSignaturesForAddress') return undefined;
        return { result: ['!', '?', '#'].map((signature) => ({ signature, slot: 'x' })) };
      },
    });
    const rig = scene.rig();
    await rig.until(() => expect(rig.state).toBe('failing'));
    expect(rig.reason).toContain('signature');
    broken = false;
    trade(2);
    await holds(rig, 2);
  });
});

describe('a page of signatures of which a node says', () => {
  const PAGES: readonly (readonly [string, Reply])[] = [
    ['an internal error', { error: { code: -32_603, message: 'Internal error' } }],
    ['a status of 500', { status: 500 }],
    ['no list', { result: 'none' }],
  ];

  /** Refuses pages of gaps, which begin at a signature. */
  function refusePages(reply: Reply): void {
    node.suffer({
      instead: (method, [, config]) => {
        const isPage = method === 'getSignaturesForAddress';
        return isPage && 'before' in Object(config) ? reply : undefined;
      },
    });
  }

  test.each(PAGES)('%s holds nothing else up, and is read when it is given', async (_, reply) => {
    trade(130);
    ledger.tick(40);
    refusePages(reply);
    const rig = scene.rig();
    await rig.until(() => expect(rig.counters.readingFailures).toBeGreaterThan(2));
    for (const transaction of trade(1)) node.tell(transaction);
    await rig.until(() => expect(rig.store.ids).toContain(131));
    expect([rig.counters.connects, rig.state]).toEqual([1, 'backfilling']);
    node.suffer({ instead: () => undefined });
    await holds(rig, 131);
  });

  test.each(PAGES)('%s is taken from another node', async (_, reply) => {
    await scene.addNode();
    trade(130);
    ledger.tick(40);
    refusePages(reply);
    const rig = scene.rig();
    await holds(rig, 130);
    expect(rig.counters).toMatchObject({ connects: 1, unavailable: 0, readingFailures: 0 });
  });
});
