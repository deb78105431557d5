/** Records of an abandoned fork are removed, however and whenever they arrived. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fillLine } from '../../../test/support/ingest-rig.js';
import { IngestScene } from '../../../test/support/ingest-scene.js';

let scene: IngestScene;

beforeEach(async () => {
  scene = await IngestScene.start();
});

afterEach(() => scene.stop());

describe('listed later than the slots behind it', () => {
  test('a transaction that was told gets its place', async () => {
    const { ledger, node } = scene;
    const rig = await scene.live();
    ledger.tick();
    const late = ledger.add([fillLine(1)]);
    node.tell(ledger.add([fillLine(2)]));
    const [, listed] = [late, ledger.listed];
    node.suffer({ unlisted: new Set([late.signature]) });
    expect(listed).toHaveLength(2);
    scene.told(3);
    await scene.settles(rig, [2, 3]);
    // Notified in the wrong order, too.
    node.tell(late);
    await rig.until(() => expect(rig.store.ids).toContain(1));
    node.suffer({ unlisted: new Set() });
    await scene.settles(rig, [1, 2, 3]);
    expect(rig.store.fills.map(({ place }) => place)).toEqual([0, 1, 0]);
    expect(rig.counters.reverted).toBe(0);
  });
});

describe('a node that did not know where the history ends', () => {
  test('is believed above what it has listed itself', async () => {
    const { ledger, node } = scene;
    const first = await scene.live();
    scene.told(1);
    await scene.settles(first, [1]);
    await first.stop();
    ledger.tick(200);
    node.suffer({ firstSlot: ledger.slot });
    const rig = await scene.live({ stores: first.stores });
    scene.told(2);
    await scene.settles(rig, [1, 2]);
    const lost = scene.told(77);
    scene.told(3);
    ledger.takeBack(lost);
    await scene.settles(rig, [1, 2, 3]);
    expect(rig.counters).toMatchObject({ edgeUnknown: 1, reverted: 1 });
  });

  test('takes nothing back below that', async () => {
    const { ledger, node } = scene;
    const first = await scene.live();
    scene.told(1);
    await scene.settles(first, [1]);
    // Notified, but not final when the service stops.
    scene.told(2);
    await first.until(() => expect(first.store.ids).toEqual([1, 2]));
    await first.stop();
    ledger.tick(200);
    node.suffer({ firstSlot: ledger.slot });
    const rig = await scene.live({ stores: first.stores });
    scene.told(3);
    ledger.tick(60);
    await rig.until(() => expect(rig.stats.finalisedSlot).toBeGreaterThan(300));
    const passes = rig.counters.settlePasses;
    await rig.until(() => expect(rig.counters.settlePasses).toBeGreaterThan(passes + 6));
    expect(rig.store.ids).toEqual([1, 2, 3]);
    expect(rig.counters.reverted).toBe(0);
  });
});

describe('a log that came cut or not at all', () => {
  test('is read whole from another node where this one has it cut as well', async () => {
    const { ledger, node } = scene;
    const other = await scene.addNode();
    const rig = await scene.live();
    const made = scene.fill(1);
    const keepsNone = { result: { slot: made.slot, meta: { err: null, logMessages: null } } };
    node.suffer({ instead: (method) => (method === 'getTransaction' ? keepsNone : undefined) });
    node.tell({ ...made, lines: ['Log truncated'] });
    ledger.tick();
    await scene.settles(rig, [1]);
    expect(rig.store.truncated).toBe(0);
    expect(other.rpc.requests.some(({ method }) => method === 'getTransaction')).toBe(true);
  });

  test('stays as it is where no node has more, and is not asked for again and again', async () => {
    const rig = await scene.live();
    scene.ledger.tick();
    scene.node.tell(scene.ledger.add([fillLine(1), 'Log truncated']));
    await scene.settles(rig, [1]);
    const { fetched, settlePasses } = rig.counters;
    await rig.until(() => expect(rig.counters.settlePasses).toBeGreaterThan(settlePasses + 6));
    expect(rig.counters.fetched).toBe(fetched);
    expect(rig.store.truncated).toBe(1);
  });

  test('a transaction that one node lists and never gives is given by another', async () => {
    const { ledger, node } = scene;
    await scene.addNode();
    const made = scene.fill(1);
    node.suffer({ withheld: new Set([made.signature]) });
    ledger.tick(60);
    const rig = scene.rig();
    await scene.settles(rig, [1]);
    expect(rig.counters.unavailable).toBe(0);
  });
});
