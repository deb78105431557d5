import { afterEach, describe, expect, test } from 'vitest';
import { type FakeSource, SourceScene as Scene } from '../../../test/support/source-scene.js';
import { DISPUTE_MS_MAX, TRUSTED_AFTER_MS, TRUSTED_AFTER_STATES } from './limits.js';

let scene: Scene;

afterEach(() => scene.merged.stop());

describe('two sources', () => {
  test('that agree are trusted, and their figures say who is first', async () => {
    scene = await Scene.open(['grpc', 'grpc']);
    const [first, second] = scene.sources as [FakeSource, FakeSource];
    for (let round = 0; round < 10; round += 1) {
      scene.writeAccount('a', `a${round}`, [first]);
      scene.timers.advance(20);
      scene.writeAccount('a', `a${round}`, [second]);
      await scene.passSlots(1);
    }
    const [one, other] = scene.merged.readStatus();
    expect(one).toMatchObject({ state: 'trusted', states: 10, wonShare: 1, leadMs: 20, misses: 0 });
    expect(other).toMatchObject({ state: 'trusted', states: 10, wonShare: 0, leadMs: -20 });
    expect(scene.merged.dispute).toBeNull();
  });

  test('one that tells what is not so is refuted by the chain, and its state is taken back', async () => {
    scene = await Scene.open(['grpc', 'grpc']);
    const [liar] = scene.sources as [FakeSource];
    scene.writeAccount('a', 'true');
    await scene.passSlots(4);
    liar.notifyWrite('a', scene.slot, 'lied');
    expect(scene.book.get('a')).toBe('lied');
    await scene.passSlots(4);
    expect(scene.book.get('a')).toBe('true');
    expect(scene.states).toEqual(['distrusted', 'trusted']);
    expect(scene.merged.readStatus()[0]).toMatchObject({
      reason: 'it notified another state of a',
      disagreements: 1,
      misses: 0,
    });
    // The untrusted source's reports are only compared.
    liar.notifyWrite('a', scene.slot, 'again');
    expect(scene.book.get('a')).toBe('true');
    expect(scene.merged.dispute).toBeNull();
    expect(scene.events).toEqual(['opened']);
  });

  test('one that lies about an account of which nobody notified before is refuted as well', async () => {
    scene = await Scene.open(['grpc', 'rpc']);
    scene.chain.set('a', 'true');
    const [, node] = scene.sources as [FakeSource, FakeSource];
    node.notifyWrite('a', scene.slot, 'lied');
    await scene.passSlots(6);
    expect(scene.states).toEqual(['trusted', 'distrusted']);
    expect(scene.book.get('a')).toBe('true');
    expect(scene.merged.dispute).toBeNull();
  });

  test('what one that is distrusted notified alone is read, and not all accounts', async () => {
    scene = await Scene.open(['grpc', 'grpc']);
    const [liar] = scene.sources as [FakeSource];
    scene.writeAccount('a', 'true');
    await scene.passSlots(4);
    liar.notifyWrite('a', scene.slot, 'lied');
    scene.tickSlots(3);
    // These accounts have no earlier reports, and the other source is late.
    scene.chain.set('b', 'true');
    liar.notifyWrite('b', scene.slot, 'lied');
    await scene.settleReads();
    expect(scene.states).toEqual(['distrusted', 'trusted']);
    await scene.passSlots(2);
    expect(scene.book.get('b')).toBe('true');
    expect(scene.events).toEqual(['opened']);
    expect(scene.merged.dispute).toBeNull();
  });

  test('one that does not tell is found, and the book is never wrong', async () => {
    scene = await Scene.open(['grpc', 'grpc']);
    const [whole] = scene.sources as [FakeSource];
    scene.writeAccount('a', 'one');
    await scene.passSlots(4);
    scene.writeAccount('a', 'two', [whole]);
    await scene.passSlots(4);
    expect(scene.states).toEqual(['trusted', 'distrusted']);
    expect(scene.merged.readStatus()[1]).toMatchObject({ misses: 1, disagreements: 0 });
    expect(scene.book.get('a')).toBe('two');
  });

  test('the chain cannot be read: the book is in dispute until it can', async () => {
    scene = await Scene.open(['grpc', 'grpc']);
    const [liar] = scene.sources as [FakeSource];
    scene.writeAccount('a', 'true');
    await scene.passSlots(4);
    scene.canRead = false;
    liar.notifyWrite('a', scene.slot, 'lied');
    await scene.passSlots(3);
    expect(scene.merged.dispute).toBeNull();
    await scene.passSlots(Math.ceil(DISPUTE_MS_MAX / 400));
    expect(scene.merged.dispute).toContain('a');
    expect(scene.states).toEqual(['trusted', 'trusted']);
    scene.canRead = true;
    await scene.passSlots(20);
    expect(scene.merged.dispute).toBeNull();
    expect(scene.states).toEqual(['distrusted', 'trusted']);
    expect(scene.book.get('a')).toBe('true');
  });

  test('nodes refuse to give one disputed account: the others are judged', async () => {
    scene = await Scene.open(['grpc', 'grpc']);
    const [liar] = scene.sources as [FakeSource];
    const keys = ['a', 'b', 'c', 'd', 'e'];
    for (const key of keys) scene.writeAccount(key, 'true');
    await scene.passSlots(4);
    scene.refused = 'a';
    for (const key of keys) liar.notifyWrite(key, scene.slot, 'lied');
    await scene.passSlots(4);
    const others = keys.filter((key) => key !== 'a');
    expect(others.map((key) => scene.book.get(key))).toEqual(others.map(() => 'true'));
    expect(scene.states).toEqual(['distrusted', 'trusted']);
  });

  test('a node is no witness for its own subscriptions, but is one against them', async () => {
    scene = await Scene.open(['rpc', 'grpc'], ['node']);
    const [node, honest] = scene.sources as [FakeSource, FakeSource];
    scene.writeAccount('a', 'one');
    await scene.passSlots(4);
    // The node reads its own reported state, and the server reported another.
    scene.writeAccount('a', 'lied', [node]);
    await scene.passSlots(8);
    expect(scene.states).toEqual(['trusted', 'trusted']);
    expect(scene.merged.dispute).not.toBeNull();
    // The subscription lost a state that the node itself reads.
    scene.writeAccount('a', 'two');
    await scene.passSlots(4);
    expect(scene.merged.dispute).toBeNull();
    scene.writeAccount('b', 'true', [honest]);
    await scene.passSlots(4);
    expect(scene.states).toEqual(['distrusted', 'trusted']);
  });

  test('silence of one that came later says nothing against what a node notified and reads', async () => {
    scene = await Scene.open(['rpc', 'grpc'], ['node']);
    const [node, server] = scene.sources as [FakeSource, FakeSource];
    scene.writeAccount('a', 'old');
    await scene.passSlots(4);
    server.listener?.onClosed('gone');
    server.listener?.onOpened();
    await scene.passSlots(6);
    for (let round = 0; round < 10; round += 1) {
      // A reading of this slot has the state of before.
      scene.writeAccount('a', `new ${round}`, [node]);
      await scene.passSlots(1);
    }
    expect(scene.states).toEqual(['trusted', 'trusted']);
    expect(scene.book.get('a')).toBe('new 9');
    expect(scene.merged.dispute).toContain('disagree about a');
  });

  test('one that was distrusted is trusted again after it has agreed for a while', async () => {
    scene = await Scene.open(['grpc', 'grpc']);
    const [liar] = scene.sources as [FakeSource];
    scene.writeAccount('a', 'true');
    await scene.passSlots(4);
    liar.notifyWrite('a', scene.slot, 'lied');
    await scene.passSlots(4);
    expect(scene.states).toEqual(['distrusted', 'trusted']);
    const slots = TRUSTED_AFTER_MS / 400 + TRUSTED_AFTER_STATES;
    for (let at = 0; at < slots; at += 1) {
      scene.writeAccount('a', `a${at}`);
      await scene.passSlots(1);
    }
    expect(scene.states).toEqual(['trusted', 'trusted']);
  });

  test('the book is closed when the last trusted one goes, and opened by the other after a while', async () => {
    scene = await Scene.open(['grpc', 'grpc']);
    const [liar, honest] = scene.sources as [FakeSource, FakeSource];
    scene.writeAccount('a', 'true');
    await scene.passSlots(4);
    liar.notifyWrite('a', scene.slot, 'lied');
    await scene.passSlots(4);
    honest.listener?.onClosed('gone');
    expect(scene.events).toEqual(['opened', 'closed: gone']);
    scene.timers.advance(10_000);
    expect(scene.events).toEqual(['opened', 'closed: gone', 'opened']);
  });

  test('a slot that one of them steps to is not believed while the others are far from it', async () => {
    scene = await Scene.open(['grpc', 'grpc']);
    const [liar] = scene.sources as [FakeSource];
    liar.listener?.onSlot({ slot: 1_000_000, parent: null, status: 'begun' });
    liar.notifyWrite('a', 1_000_000, 'lied');
    scene.writeAccount('a', 'true');
    expect(scene.book.get('a')).toBe('true');
    expect(scene.merged.readStatus()[0]?.slot).toBe(scene.slot);
  });

  test('a message that one cannot read costs nothing while the other is whole', async () => {
    scene = await Scene.open(['grpc', 'grpc']);
    const [one, other] = scene.sources as [FakeSource, FakeSource];
    one.listener?.onMalformed();
    expect(scene.events).toEqual(['opened']);
    other.listener?.onClosed('gone');
    one.listener?.onMalformed();
    expect(scene.events).toEqual(['opened', 'malformed']);
  });
});

describe('three sources', () => {
  test('keep the book while any is left, in every order of death and return', async () => {
    scene = await Scene.open(['rpc', 'grpc', 'grpc']);
    const { sources } = scene;
    let round = 0;
    const pass = async (alive: readonly FakeSource[]): Promise<void> => {
      for (let slots = 0; slots < 4; slots += 1) {
        round += 1;
        scene.writeAccount('a', `a${round}`, alive);
        scene.writeAccount(`b${round % 3}`, `b${round}`, alive);
        await scene.passSlots(1, alive);
        expect(Object.fromEntries(scene.book)).toEqual(Object.fromEntries(scene.chain));
      }
    };
    for (const order of [
      [0, 1],
      [0, 2],
      [1, 0],
      [1, 2],
      [2, 0],
      [2, 1],
    ]) {
      for (const back of [order, order.slice().reverse()]) {
        let alive = sources;
        for (const at of order) {
          alive = alive.filter((source) => source !== sources[at]);
          sources[at]?.listener?.onClosed('gone');
          await pass(alive);
        }
        for (const at of back) {
          alive = sources.filter((source) => alive.includes(source) || source === sources[at]);
          sources[at]?.listener?.onOpened();
          await pass(alive);
        }
        expect(scene.states).toEqual(['trusted', 'trusted', 'trusted']);
      }
    }
    expect(scene.events).toEqual(['opened']);
    for (const { misses, disagreements } of scene.merged.readStatus())
      expect([misses, disagreements]).toEqual([0, 0]);
  });
});

describe('a node beside a gRPC server', () => {
  test('changes nothing of a slot of which the server has notified, and may be ahead of it', async () => {
    scene = await Scene.open(['rpc', 'grpc']);
    const [node, server] = scene.sources as [FakeSource, FakeSource];
    server.notifyWrite('a', scene.slot, 'one');
    server.notifyWrite('a', scene.slot, 'two');
    node.notifyWrite('a', scene.slot, 'one');
    node.notifyWrite('a', scene.slot, 'three');
    expect(scene.book.get('a')).toBe('two');
    // The slot's end stays until the server reaches it.
    node.notifyWrite('b', scene.slot, 'last');
    server.notifyWrite('b', scene.slot, 'first');
    server.notifyWrite('b', scene.slot, 'second');
    expect(scene.book.get('b')).toBe('last');
    server.notifyWrite('b', scene.slot, 'last');
    server.notifyWrite('b', scene.slot, 'behind it');
    expect(scene.book.get('b')).toBe('behind it');
  });

  test('tells the end of the slot in which the server goes, and of those behind it', async () => {
    scene = await Scene.open(['rpc', 'grpc']);
    const [node, server] = scene.sources as [FakeSource, FakeSource];
    const goes = scene.slot;
    for (const pubkey of ['before', 'behind']) server.notifyWrite(pubkey, goes, 'one');
    node.notifyWrite('before', goes, 'two');
    expect(scene.book.get('before')).toBe('one');
    server.listener?.onInterrupted('cut');
    expect(scene.book.get('before')).toBe('two');
    node.notifyWrite('behind', goes, 'two');
    node.notifyWrite('behind', goes, 'three');
    expect(scene.book.get('behind')).toBe('three');
    // The server continues at its last slot and is followed again.
    server.listener?.onResumed();
    for (const data of ['one', 'two', 'three', 'four']) server.notifyWrite('behind', goes, data);
    node.notifyWrite('behind', goes, 'five');
    expect(scene.book.get('behind')).toBe('four');
    expect(scene.events).toEqual(['opened']);
  });

  test('may leave out the last of several slots, and accounts that are closed', async () => {
    scene = await Scene.open(['rpc', 'grpc']);
    const [node, server] = scene.sources as [FakeSource, FakeSource];
    server.notifyWrite('a', scene.slot, 'one');
    scene.tickSlots(1);
    scene.writeAccount('a', 'two', [node, server]);
    await scene.passSlots(5);
    expect(scene.states).toEqual(['trusted', 'trusted']);
  });
});
