/**
 * Correct sources that differ: on forks, late, after reconnects, and by the limits of RPC nodes.
 * All must stay trusted, and the book must equal the chain.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { type FakeSource, SourceScene } from '../../../test/support/source-scene.js';

let scene: SourceScene;
let [first, second]: [FakeSource, FakeSource] = [] as never;

afterEach(() => scene.merged.stop());

async function openScene(kinds: readonly string[]): Promise<void> {
  scene = await SourceScene.open(kinds);
  [first, second] = scene.sources as [FakeSource, FakeSource];
  scene.writeAccount('a', 'old');
  await scene.passSlots(4);
}

/** The book has the chain's state, is not disputed, and all sources are trusted. */
function expectTruth(pubkey = 'a'): void {
  expect(scene.book.get(pubkey)).toBe(scene.chain.get(pubkey));
  expect(scene.merged.dispute).toBeNull();
  expect(scene.states).toEqual(scene.sources.map(() => 'trusted'));
}

/** Makes the next slot a fork and returns it. The slot after it continues from the slot before. */
function beginFork(by: readonly FakeSource[]): number {
  const lost = scene.slot + 1;
  scene.slot += 2;
  for (const source of by) source.notifySlot(lost, 'begun', lost - 1);
  return lost;
}

describe.each([['grpc'], ['rpc']])('a fork that a %s source alone sees', (kind) => {
  test('is taken back when the source goes on from another slot, without a reading', async () => {
    await openScene([kind, 'grpc']);
    scene.canRead = false;
    const lost = beginFork([first]);
    first.notifyWrite('a', lost, 'lost');
    expect(scene.book.get('a')).toBe('lost');
    first.notifySlot(lost + 1, 'begun', lost - 1);
    expect(scene.book.get('a')).toBe('old');
    second.notifySlot(lost + 1, 'begun', lost - 1);
    await scene.passSlots(10);
    expectTruth();
  });

  test('and is late with: the others were past it', async () => {
    await openScene([kind, 'grpc']);
    const lost = beginFork([]);
    second.notifySlot(lost + 1, 'begun', lost - 1);
    await scene.passSlots(3, [second]);
    first.notifySlot(lost, 'begun', lost - 1);
    first.notifyWrite('a', lost, 'lost');
    await scene.passSlots(4, [second]);
    first.notifySlot(lost + 1, 'begun', lost - 1);
    await scene.passSlots(10);
    expectTruth();
  });

  test('as its last before a gap, and the other one saw it too', async () => {
    await openScene([kind, 'grpc']);
    const lost = beginFork([first, second]);
    for (const source of [first, second]) source.notifyWrite('a', lost, 'lost');
    first.listener?.onClosed('gone');
    second.notifySlot(lost + 1, 'begun', lost - 1);
    await scene.passSlots(6, [second]);
    first.listener?.onOpened();
    await scene.passSlots(10);
    expectTruth();
  });
});

test('sources: a fork that was left and won is the chain again', async () => {
  await openScene(['grpc', 'grpc']);
  const other = scene.slot + 2;
  scene.slot += 1;
  for (const source of [first, second]) source.notifySlot(scene.slot, 'begun');
  scene.writeAccount('a', 'one');
  for (const source of [first, second]) source.notifySlot(other, 'begun', other - 2);
  expect(scene.book.get('a')).toBe('old');
  scene.slot = other + 1;
  for (const source of [first, second]) source.notifySlot(other + 1, 'begun', other - 1);
  expect(scene.book.get('a')).toBe('one');
  await scene.passSlots(10);
  expectTruth();
});

test('sources: what a server took back is not what a distrusted one had told', async () => {
  await openScene(['grpc', 'grpc']);
  scene.chain.set('b', 'true');
  first.notifyWrite('b', scene.slot, 'lied');
  await scene.passSlots(5);
  expect(scene.states).toEqual(['distrusted', 'trusted']);
  first.notifyWrite('a', scene.slot, 'lied');
  second.notifyWrite('a', scene.slot, 'one');
  second.notifySlot(scene.slot, 'dead');
  expect(scene.book.get('a')).toBe('old');
});

describe('a node', () => {
  test('that notifies the last of several slots alone, while most slots are skipped', async () => {
    await openScene(['rpc', 'grpc']);
    for (let round = 0; round < 5; round += 1) {
      scene.slot += 3;
      scene.timers.advance(1_200);
      for (const source of [first, second]) source.notifySlot(scene.slot, 'begun', scene.slot - 3);
      scene.writeAccount('a', `one ${round}`, [second]);
      scene.slot += 3;
      scene.timers.advance(1_200);
      for (const source of [first, second]) source.notifySlot(scene.slot, 'begun', scene.slot - 3);
      await scene.settleReads();
      await scene.settleReads();
      first.notifyWrite('a', scene.slot, `one ${round}`);
    }
    await scene.passSlots(10);
    expectTruth();
  });

  test('that did so with one of a fork', async () => {
    await openScene(['rpc', 'grpc']);
    scene.writeAccount('a', 'one', [second]);
    const lost = beginFork([first]);
    first.notifyWrite('a', lost, 'one');
    for (const source of [first, second]) source.notifySlot(lost + 1, 'begun', lost - 1);
    await scene.passSlots(10);
    expectTruth();
  });

  test('that did so with one of a fork, alone: the account is read', async () => {
    await openScene(['rpc']);
    scene.chain.set('a', 'one');
    const lost = beginFork([first]);
    first.notifyWrite('a', lost, 'one');
    first.notifySlot(lost + 1, 'begun', lost - 1);
    expect(scene.book.get('a')).toBe('old');
    await scene.passSlots(3);
    expectTruth();
  });

  test('that did so is no news for a server that came after the write', async () => {
    await openScene(['rpc', 'grpc', 'grpc']);
    const third = scene.sources[2] as FakeSource;
    third.listener?.onClosed('gone');
    await scene.passSlots(2, [first, second]);
    scene.writeAccount('a', 'one', [second]);
    third.listener?.onOpened();
    third.notifySlot(scene.slot, 'processed');
    scene.slot += 5;
    for (const source of scene.sources) source.notifySlot(scene.slot, 'begun', scene.slot - 5);
    first.notifyWrite('a', scene.slot, 'one');
    await scene.passSlots(10);
    expectTruth();
  });

  test('that left out the slot in which a server came, before others that are skipped', async () => {
    await openScene(['rpc', 'grpc']);
    second.listener?.onClosed('gone');
    await scene.passSlots(2, [first]);
    scene.chain.set('a', 'one');
    second.listener?.onOpened();
    second.notifySlot(scene.slot, 'processed');
    scene.slot += 5;
    for (const source of scene.sources) source.notifySlot(scene.slot, 'begun', scene.slot - 5);
    first.notifyWrite('a', scene.slot, 'one');
    await scene.passSlots(10);
    expectTruth();
  });

  test('that repeats what was before a fork is no news for a server that came since', async () => {
    await openScene(['rpc', 'grpc']);
    second.listener?.onClosed('gone');
    await scene.passSlots(1, [first]);
    scene.writeAccount('a', 'one', [first]);
    await scene.passSlots(1, [first]);
    second.listener?.onOpened();
    await scene.passSlots(5);
    const lost = beginFork(scene.sources);
    for (const source of scene.sources) source.notifyWrite('a', lost, 'lost');
    first.notifySlot(lost + 1, 'begun', lost - 1);
    first.notifyWrite('a', lost + 1, 'one');
    second.notifySlot(lost + 1, 'begun', lost - 1);
    await scene.passSlots(10);
    expectTruth();
  });

  test('that is ahead of one that is late, and of a node that is read and late as well', async () => {
    await openScene(['rpc', 'grpc']);
    scene.slotsAhead = -5;
    for (let slot = 0; slot < 20; slot += 1) {
      await scene.passSlots(1, [first]);
      second.notifySlot(scene.slot - 7);
    }
    expectTruth();
  });
});

test('sources: what another server of the address notifies again changes nothing', async () => {
  await openScene(['grpc', 'grpc']);
  const { slot } = scene;
  scene.writeAccount('a', 'one');
  scene.writeAccount('a', 'two');
  await scene.passSlots(2);
  first.listener?.onInterrupted('cut');
  await scene.passSlots(9, [second]);
  first.version = 5_000;
  first.listener?.onResumed();
  for (let again = slot; again <= scene.slot; again += 1) {
    first.notifySlot(again);
    if (again !== slot) continue;
    for (const data of ['one', 'two']) {
      first.notifyWrite('a', slot, data);
      expect(scene.book.get('a')).toBe('two');
    }
  }
  await scene.passSlots(10);
  expectTruth();
});

test('sources: a late write that two notify is confirmed, also where nobody can be read', async () => {
  await openScene(['grpc', 'grpc']);
  scene.canRead = false;
  await scene.passSlots(4);
  for (const source of [first, second]) source.notifyWrite('b', scene.slot - 6, 'late');
  await scene.passSlots(10);
  expectTruth();
});

describe('sources of one chain', () => {
  test('one that joins again beside a late one keeps the book', async () => {
    await openScene(['grpc', 'grpc']);
    const late = second;
    const passLate = async (slots: number): Promise<void> => {
      for (let slot = 0; slot < slots; slot += 1) {
        await scene.passSlots(1, [first]);
        late.notifySlot(scene.slot - 6);
      }
    };
    await passLate(10);
    first.listener?.onClosed('gone');
    first.listener?.onOpened();
    await passLate(12);
    expect(scene.states).toEqual(['trusted', 'trusted']);
    scene.writeAccount('a', 'two', [first]);
    expectTruth();
  });

  test('one beside a late one, while no node can be read, is not refuted', async () => {
    await openScene(['grpc', 'grpc']);
    const late = second;
    scene.canRead = false;
    for (let slot = 0; slot < 20; slot += 1) {
      await scene.passSlots(1, [first]);
      late.notifySlot(scene.slot - 6);
    }
    expect(scene.states).toEqual(['trusted', 'trusted']);
  });

  test('a late one that replays a slot of another fork, which the others are past', async () => {
    await openScene(['grpc', 'grpc']);
    const late = first;
    const fork = scene.slot + 1;
    scene.slot += 2;
    second.notifySlot(scene.slot, 'begun', fork - 1);
    await scene.passSlots(3, [second]);
    late.notifySlot(fork, 'begun', fork - 1);
    late.notifyWrite('a', fork, 'forked');
    late.notifySlot(scene.slot - 3, 'begun', fork - 1);
    await scene.passSlots(1);
    second.notifySlot(fork + 1, 'confirmed', fork - 1);
    await scene.passSlots(10);
    expectTruth();
  });

  test('a node that leaves out one of several slots says nothing of it', async () => {
    await openScene(['rpc', 'grpc']);
    const node = first;
    const server = second;
    server.notifyWrite('a', scene.slot, 'one');
    scene.chain.set('a', 'two');
    await scene.passSlots(1);
    scene.writeAccount('a', 'two');
    await scene.passSlots(10);
    expectTruth();
    expect(node.kind).toBe('rpc');
  });

  test('one that replays a slot of another fork is not to blame', async () => {
    await openScene(['grpc', 'grpc']);
    const fork = scene.slot + 1;
    scene.slot += 2;
    first.notifySlot(fork, 'begun', fork - 1);
    first.notifyWrite('a', fork, 'forked');
    for (const source of scene.sources) source.notifySlot(scene.slot, 'begun', fork - 1);
    await scene.passSlots(2);
    for (const source of scene.sources) source.notifySlot(scene.slot, 'confirmed');
    await scene.passSlots(10);
    expectTruth();
  });

  test('one that comes late to a slot of another fork changes nothing', async () => {
    await openScene(['grpc', 'grpc']);
    const fork = scene.slot + 1;
    scene.slot += 2;
    for (const source of scene.sources) source.notifySlot(scene.slot, 'begun', fork - 1);
    await scene.passSlots(2);
    for (const source of scene.sources) source.notifySlot(scene.slot, 'confirmed');
    first.notifyWrite('a', fork, 'forked');
    expectTruth();
  });

  test('a late one is not refuted by a state that another one notified before it was gone', async () => {
    await openScene(['grpc', 'grpc', 'grpc']);
    const late = scene.sources[2] as FakeSource;
    second.listener?.onClosed('gone');
    await scene.passSlots(1, [first, late]);
    scene.writeAccount('a', 'two', [first, late]);
    await scene.passSlots(2, [first, late]);
    second.listener?.onOpened();
    await scene.passSlots(6);
    scene.canRead = false;
    const lost = beginFork([first]);
    first.notifyWrite('a', lost, 'lost');
    for (const source of [second, late]) source.notifySlot(lost + 1, 'begun', lost - 1);
    late.notifySlot(lost + 2);
    await scene.passSlots(2, [second]);
    scene.writeAccount('a', 'old', [second]);
    await scene.passSlots(2, [second]);
    scene.canRead = true;
    await scene.passSlots(2, [second]);
    for (const source of [first, late]) {
      source.notifySlot(lost + 3, 'begun', source === first ? lost - 1 : lost + 2);
      source.notifyWrite('a', lost + 3, 'old');
    }
    await scene.passSlots(10);
    expectTruth();
  });

  test('a slot that was dead and is replayed counts', async () => {
    await openScene(['grpc', 'grpc']);
    for (const source of scene.sources) {
      source.notifyWrite('a', scene.slot, 'one');
      source.notifySlot(scene.slot, 'dead');
    }
    expect(scene.book.get('a')).toBe('old');
    for (const source of scene.sources) source.notifySlot(scene.slot);
    scene.writeAccount('a', 'two');
    expectTruth();
  });

  test('an account that goes back to what nobody knows is read, and no other', async () => {
    await openScene(['grpc', 'grpc']);
    scene.chain.set('b', 'true');
    for (const source of scene.sources) {
      source.notifyWrite('b', scene.slot, 'forked');
      source.notifySlot(scene.slot, 'dead');
    }
    await scene.passSlots(3);
    expectTruth('b');
    expect(scene.events).toEqual(['opened']);
  });

  test('one amid a slot in which an account is opened and closed, as a node tells of neither', async () => {
    await openScene(['grpc', 'rpc']);
    scene.chain.delete('a');
    first.notifyClosed('a', scene.slot);
    await scene.passSlots(6);
    const { slot } = scene;
    first.notifyWrite('a', slot, 'opened');
    await scene.passSlots(4, [second]);
    first.notifyClosed('a', slot);
    for (let at = slot + 1; at <= scene.slot; at += 1) first.notifySlot(at);
    await scene.passSlots(4);
    expect(scene.closed.has('a')).toBe(true);
    expect(scene.merged.dispute).toBeNull();
    expect(scene.states).toEqual(['trusted', 'trusted']);
  });

  test('one that tells of a closing on a fork, while the account is closed on the chain', async () => {
    await openScene(['grpc', 'grpc']);
    const lost = beginFork([first]);
    first.notifyClosed('a', lost);
    scene.chain.delete('a');
    second.notifySlot(lost + 1, 'begun', lost - 1);
    await scene.passSlots(3, [second]);
    for (const source of scene.sources) source.notifyClosed('a', scene.slot);
    first.notifySlot(scene.slot);
    await scene.passSlots(6);
    expect(scene.states).toEqual(['trusted', 'trusted']);
    expect(scene.closed.has('a')).toBe(true);
  });

  test('none that missed the end of an account: it is read', async () => {
    await openScene(['grpc', 'grpc']);
    scene.writeAccount('a', 'two', [first]);
    scene.chain.delete('a');
    await scene.passSlots(8);
    expect(scene.closed.has('a')).toBe(true);
    expect(scene.merged.dispute).toBeNull();
    expect(scene.states[0]).toBe('trusted');
  });
});
