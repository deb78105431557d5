/**
 * One source reports wrong data of every known kind. The book must recover, and correct sources
 * must stay trusted.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeSource, SourceScene } from '../../../test/support/source-scene.js';

let scene: SourceScene;
let [liar, honest, third]: [FakeSource, FakeSource, FakeSource] = [] as never;

afterEach(() => scene.merged.stop());

async function openScene(kinds: readonly string[]): Promise<void> {
  scene = await SourceScene.open(kinds);
  [liar, honest, third] = scene.sources as [FakeSource, FakeSource, FakeSource];
  scene.writeAccount('a', 'old');
  await scene.passSlots(4);
}

/** The book has the chain's state and is not disputed. */
function expectTruth(pubkey = 'a'): void {
  expect(scene.book.get(pubkey)).toBe(scene.chain.get(pubkey));
  expect(scene.merged.dispute).toBeNull();
}

describe('a source that says what becomes of slots', () => {
  beforeEach(() => openScene(['grpc', 'grpc']));

  test('too early that one is final: later writes of it count', async () => {
    honest.notifyWrite('a', scene.slot, 'one');
    liar.notifySlot(scene.slot, 'finalized');
    scene.writeAccount('a', 'two', [honest, liar]);
    await scene.passSlots(20);
    expectTruth();
  });

  test('that the slot of its own lie is final: it is judged', async () => {
    liar.notifyWrite('a', scene.slot, 'lied');
    liar.notifySlot(scene.slot, 'finalized');
    await scene.passSlots(20);
    expectTruth();
    expect(scene.states).toEqual(['distrusted', 'trusted']);
  });

  test('that one is dead: what others notified of it stays', async () => {
    scene.writeAccount('a', 'one', [honest]);
    liar.notifySlot(scene.slot, 'dead');
    await scene.passSlots(20);
    expectTruth();
    expect(scene.states[1]).toBe('trusted');
  });

  test('that others are left out: they are not', async () => {
    scene.writeAccount('a', 'one');
    honest.notifySlot(scene.slot, 'processed');
    liar.notifySlot(scene.slot + 1, 'confirmed', scene.slot - 3);
    await scene.passSlots(1, [honest]);
    liar.notifySlot(scene.slot, 'confirmed', scene.slot - 3);
    await scene.passSlots(20);
    expectTruth();
    expect(scene.states[1]).toBe('trusted');
  });

  test('while it is distrusted: nothing of it counts', async () => {
    scene.chain.set('b', 'true');
    liar.notifyWrite('b', scene.slot, 'lied');
    await scene.passSlots(5);
    expect(scene.states).toEqual(['distrusted', 'trusted']);
    honest.notifyWrite('a', scene.slot, 'one');
    liar.notifySlot(scene.slot, 'finalized');
    scene.writeAccount('a', 'two', [honest]);
    await scene.passSlots(20);
    expectTruth();
  });
});

describe('a source that runs ahead', () => {
  beforeEach(() => openScene(['grpc', 'grpc']));

  test('in steps: its slots are not notified on, and it is distrusted', async () => {
    for (let step = 1; step <= 20; step += 1) liar.notifySlot(scene.slot + 60 * step);
    liar.notifyWrite('a', scene.slot + 30, 'lied');
    scene.slots.length = 0;
    await scene.passSlots(20, [honest]);
    expectTruth();
    expect(scene.slots).toEqual(Array.from({ length: 20 }, (_, at) => scene.slot - 19 + at));
    expect(scene.states).toEqual(['distrusted', 'trusted']);
    // The writes within a slot are not the account's state after the slot.
    liar.listener?.onClosed('gone');
    honest.notifyWrite('b', scene.slot, 'one');
    honest.notifySlot(scene.slot, 'processed');
    scene.writeAccount('b', 'two', [honest]);
    expectTruth('b');
  });

  test('by thirty slots at once: neither its slots nor its write are believed', async () => {
    liar.notifySlot(scene.slot + 30);
    liar.notifyWrite('a', scene.slot + 30, 'lied');
    scene.slots.length = 0;
    for (let slot = 0; slot < 40; slot += 1) {
      await scene.passSlots(1, [honest]);
      expectTruth();
      if (slot === 20) expect(scene.states).toEqual(['distrusted', 'trusted']);
    }
    expect(scene.slots).toHaveLength(40);
    expect(scene.states[1]).toBe('trusted');
  });

  test('no further than the chain, while the other one is late: it goes on', async () => {
    for (let slot = 0; slot < 60; slot += 1) {
      scene.writeAccount('a', `a${slot}`, [liar]);
      await scene.passSlots(1, [liar]);
      honest.notifySlot(scene.slot - 12);
    }
    expect(scene.states[0]).toBe('trusted');
    expectTruth();
  });

  test('no further than the chain, while nodes are late and leaders skip their slots: it stays trusted', async () => {
    for (let slot = 0; slot < 60; slot += 1) {
      const sinceSkipped = slot % 12;
      if (sinceSkipped === 0) {
        scene.slot += 4;
        scene.timers.advance(1_600);
      }
      // Nodes read the slot of four slots ago, which is one from before the skipped ones at first.
      scene.slotsAhead = sinceSkipped < 4 ? -5 - sinceSkipped : -4;
      await scene.passSlots(1, [liar]);
      honest.notifySlot(scene.slot - 12);
      expect(scene.states[0]).toBe('trusted');
    }
  });
});

test('sources: a node that is ahead proves nothing by its own slot', async () => {
  scene = await SourceScene.open(['rpc', 'grpc'], ['node']);
  const [node, server] = scene.sources as [FakeSource, FakeSource];
  scene.writeAccount('a', 'old');
  await scene.passSlots(4);
  scene.slotsAhead = 10;
  scene.slots.length = 0;
  for (let slot = 0; slot < 20; slot += 1) {
    node.notifySlot(scene.slot + 10);
    node.notifyWrite('a', scene.slot + 10, 'lied');
    await scene.passSlots(1, [server]);
    expectTruth();
  }
  expect(scene.slots).toHaveLength(20);
  expect(scene.slots.at(-1)).toBe(scene.slot);
});

test('sources: one of another chain never joins, and nothing of it counts', async () => {
  scene = await SourceScene.open(['grpc', 'grpc'], ['other'], ([, second]) =>
    second === undefined ? [] : [second],
  );
  [liar, honest] = scene.sources as [FakeSource, FakeSource];
  liar.listener?.onOpened();
  for (let slot = 0; slot < 10; slot += 1) {
    liar.notifySlot(400_000_000 + slot);
    liar.notifyWrite('a', 400_000_000 + slot, 'lied');
    await scene.passSlots(1, [honest]);
    honest.notifyWrite('a', scene.slot, 'one');
    honest.notifySlot(scene.slot - 1, 'processed');
    scene.writeAccount('a', `two ${slot}`, [honest]);
    expectTruth();
  }
  expect(scene.states).toEqual(['joining', 'trusted']);
  expect(scene.slots.at(-1)).toBe(scene.slot);
});

test('sources: a write that a node notifies of the far future before its first slot does not count', async () => {
  scene = await SourceScene.open(['rpc', 'grpc'], ['other'], ([, second]) =>
    second === undefined ? [] : [second],
  );
  [liar, honest] = scene.sources as [FakeSource, FakeSource];
  liar.listener?.onOpened();
  liar.notifyWrite('a', 1e15, 'lied');
  await scene.passSlots(6);
  scene.writeAccount('a', 'true');
  await scene.passSlots(20);
  expectTruth();
});

test('sources: one that goes on while the book is read again keeps it', async () => {
  await openScene(['grpc', 'grpc']);
  const [first, second] = [liar, honest];
  second.listener?.onClosed('gone');
  first.listener?.onInterrupted('cut');
  second.listener?.onOpened();
  scene.timers.advance(5_000);
  await scene.subscribe();
  await scene.passSlots(2, [second]);
  first.listener?.onResumed();
  await scene.passSlots(5);
  scene.writeAccount('a', 'one');
  await scene.passSlots(3);
  second.listener?.onClosed('gone');
  scene.writeAccount('a', 'two', [first]);
  await scene.passSlots(3, [first]);
  expectTruth();
});

test('sources: a node tells the end of a slot in which a server has stopped', async () => {
  await openScene(['rpc', 'grpc']);
  const [node, server] = [liar, honest];
  server.notifyWrite('a', scene.slot, 'middle');
  scene.writeAccount('a', 'end', [node]);
  await scene.passSlots(5, [node]);
  expect(scene.book.get('a')).toBe('end');
});

describe('a source that is not there when it is judged', () => {
  beforeEach(() => openScene(['grpc', 'grpc']));

  test('as it tells of no more slots: its write is compared nevertheless', async () => {
    for (let slot = 0; slot < 5; slot += 1) {
      liar.notifyWrite('a', scene.slot, `lied ${slot}`);
      await scene.passSlots(1, [honest]);
    }
    await scene.passSlots(4, [honest]);
    expectTruth();
    await scene.passSlots(4);
    expect(scene.states).toEqual(['distrusted', 'trusted']);
  });

  test('and tells of no more slots at all joins again', async () => {
    await scene.passSlots(10, [honest]);
    expect(scene.states).toEqual(['joining', 'trusted']);
    await scene.passSlots(4);
    expect(scene.states).toEqual(['trusted', 'trusted']);
  });

  test('as the slot was judged before: a write that comes late is compared', async () => {
    liar.notifyWrite('b', scene.slot, 'true');
    honest.notifyWrite('b', scene.slot, 'true');
    await scene.passSlots(6);
    liar.notifyWrite('a', scene.slot - 5, 'lied');
    expect(scene.book.get('a')).toBe('lied');
    await scene.passSlots(2);
    expectTruth();
    expect(scene.states).toEqual(['distrusted', 'trusted']);
  });

  test('as the others came later than the slot of its write: the chain is read', async () => {
    honest.listener?.onClosed('gone');
    await scene.passSlots(2, [liar]);
    honest.listener?.onOpened();
    await scene.passSlots(6);
    expect(scene.states).toEqual(['trusted', 'trusted']);
    liar.notifyWrite('a', scene.slot - 7, 'lied');
    expect(scene.book.get('a')).toBe('lied');
    await scene.passSlots(5);
    expectTruth();
    expect(scene.states).toEqual(['distrusted', 'trusted']);
  });

  test('as it connects again at once', async () => {
    for (let round = 0; round < 3; round += 1) {
      liar.notifyWrite('a', scene.slot, 'lied');
      liar.listener?.onClosed('gone');
      liar.listener?.onOpened();
      await scene.passSlots(4);
      expectTruth();
    }
    expect(scene.states).toEqual(['distrusted', 'trusted']);
  });

  test('as it is gone while the chain is read', async () => {
    scene.canRead = false;
    liar.notifyWrite('a', scene.slot, 'lied');
    await scene.passSlots(3);
    liar.listener?.onClosed('gone');
    scene.canRead = true;
    await scene.passSlots(12, [honest]);
    expectTruth();
  });

  test('as it writes into a slot that the chain has not', async () => {
    const skipped = scene.slot + 1;
    scene.slot += 1;
    liar.notifyWrite('a', skipped, 'lied');
    scene.slot += 1;
    for (const source of [liar, honest]) source.notifySlot(scene.slot, 'begun', skipped - 1);
    await scene.passSlots(6);
    expectTruth();
  });

  test('and nobody can be read: the book is in doubt until somebody can', async () => {
    scene.isFinal = true;
    scene.canRead = false;
    liar.notifyWrite('a', scene.slot, 'lied');
    await scene.passSlots(7);
    for (let slot = 0; slot < 200; slot += 10) {
      expect(scene.merged.dispute).toBe('sources disagree about a');
      await scene.passSlots(10);
    }
    scene.canRead = true;
    await scene.passSlots(20);
    expectTruth();
    expect(scene.states[1]).toBe('trusted');
  });
});

describe('one of three sources', () => {
  beforeEach(() => openScene(['grpc', 'grpc', 'grpc']));

  test('tells what it alone knows, of slots further than those of the others: it is refuted', async () => {
    for (let slot = 0; slot < 6; slot += 1) {
      liar.notifySlot(scene.slot + 4);
      liar.notifyWrite('a', scene.slot, `lied ${slot}`);
      await scene.passSlots(1, [honest, third]);
    }
    await scene.passSlots(4, [honest, third]);
    expectTruth();
    expect(scene.states.slice(1)).toEqual(['trusted', 'trusted']);
  });

  test('lies, and the others told the truth before: they agree, and not with the book', async () => {
    scene.writeAccount('a', 'true', [honest, third]);
    liar.notifyWrite('a', scene.slot, 'lied');
    await scene.passSlots(5);
    expectTruth();
    expect(scene.states).toEqual(['distrusted', 'trusted', 'trusted']);
  });
});

test('sources: one that came later and was notified of nothing since, while another one lies', async () => {
  await openScene(['grpc', 'grpc', 'grpc']);
  third.listener?.onClosed('gone');
  await scene.passSlots(2, [liar, honest]);
  scene.writeAccount('a', 'two', [liar, honest]);
  third.listener?.onOpened();
  await scene.passSlots(6);
  liar.notifyWrite('a', scene.slot, 'lied');
  await scene.passSlots(6);
  expectTruth();
  expect(scene.states).toEqual(['distrusted', 'trusted', 'trusted']);
});

test('sources: an account that a server alone says is gone is read, as a node tells of none', async () => {
  await openScene(['grpc', 'rpc']);
  liar.notifyClosed('a', scene.slot);
  expect(scene.closed.has('a')).toBe(true);
  await scene.passSlots(5);
  expectTruth();
  expect(scene.closed.has('a')).toBe(false);
  expect(scene.states).toEqual(['distrusted', 'trusted']);
});

test('sources: what one notified while it was distrusted stays out of the book', async () => {
  await openScene(['grpc', 'grpc']);
  liar.notifyWrite('a', scene.slot, 'lied');
  await scene.passSlots(6);
  expect(scene.states).toEqual(['distrusted', 'trusted']);
  liar.notifyWrite('a', scene.slot, 'lied again');
  for (let slot = 0; slot < 110; slot += 1) {
    scene.writeAccount('b', `b${slot}`);
    await scene.passSlots(1);
  }
  expect(scene.states).toEqual(['trusted', 'trusted']);
  expectTruth();
});

test('sources: what one notified alone before a gap stays in the book when it is back', async () => {
  await openScene(['grpc', 'grpc']);
  scene.canRead = false;
  scene.writeAccount('a', 'new', [liar]);
  liar.listener?.onClosed('gone');
  liar.listener?.onOpened();
  await scene.passSlots(4);
  expect(scene.states).toEqual(['trusted', 'trusted']);
  expect(scene.book.get('a')).toBe('new');
});

test('sources: one that is distrusted and ahead makes no write of another one late', async () => {
  await openScene(['grpc', 'grpc']);
  liar.notifyWrite('a', scene.slot, 'lied');
  await scene.passSlots(6);
  expect(scene.states).toEqual(['distrusted', 'trusted']);
  scene.canRead = false;
  for (let slot = 0; slot < 20; slot += 1) {
    liar.notifySlot(scene.slot + 100);
    scene.writeAccount('a', `a${slot}`, [honest]);
    await scene.passSlots(1, [honest]);
    expectTruth();
  }
});

test('sources: what one notified before it counted is compared once it counts', async () => {
  await openScene(['grpc', 'grpc']);
  liar.listener?.onClosed('gone');
  await scene.passSlots(2, [honest]);
  liar.listener?.onOpened();
  const { slot } = scene;
  liar.notifyWrite('a', slot, 'lied');
  await scene.passSlots(6, [honest]);
  for (let told = slot - 1; told <= scene.slot; told += 1) liar.notifySlot(told);
  expect(scene.book.get('a')).toBe('lied');
  await scene.passSlots(6);
  expectTruth();
});

test.each(['old', 'lied'])(
  'sources: a write that one alone told as %s is read when it is distrusted',
  async (told) => {
    await openScene(['grpc', 'grpc']);
    honest.listener?.onClosed('gone');
    scene.writeAccount('a', 'true', []);
    liar.notifyWrite('a', scene.slot, told);
    await scene.passSlots(1, [liar]);
    honest.listener?.onOpened();
    await scene.passSlots(6);
    scene.writeAccount('b', 'true', [honest]);
    liar.notifyWrite('b', scene.slot, 'lied');
    await scene.passSlots(6);
    expect(scene.states).toEqual(['distrusted', 'trusted']);
    expectTruth('b');
    expectTruth();
  },
);
