import { describe, expect, test } from 'vitest';
import { FakeSource } from '../../../test/support/source-scene.js';
import { systemTimers } from '../../rpc/timers.js';
import { MergedSources } from './merged-sources.js';

/** Merges two sources and opens both. */
async function openBoth() {
  const sources = [new FakeSource('grpc', 'one'), new FakeSource('grpc', 'other')] as const;
  const merged = new MergedSources({ sources, timers: systemTimers });
  const events: string[] = [];
  merged.connection.start({
    onOpened: () => events.push('opened'),
    onClosed: (reason) => events.push(`closed: ${reason}`),
    onMalformed: () => undefined,
  });
  sources[0].listener?.onOpened();
  await subscribe(merged, events);
  return { merged, sources, events };
}

function subscribe(merged: MergedSources, events: string[]): Promise<void> {
  return merged.subscribeAll({
    onSlot: (slot) => events.push(`slot ${slot?.slot}`),
    onUpdate: (update) => events.push(`${update?.pubkey} ${update?.data}`),
    onLost: () => undefined,
  });
}

test('sources: one that has joined keeps the connection when the other closes', async () => {
  const { sources, events } = await openBoth();
  const [first, second] = sources;
  first.notifySlot(10);
  second.listener?.onOpened();
  second.notifySlot(11);
  first.notifySlot(13);
  events.length = 0;
  first.listener?.onClosed('gone');
  second.notifySlot(14);
  second.notifyWrite('a', 14, 'x');
  // The first source reconnects and joins after the second; then the second may close.
  first.listener?.onOpened();
  first.notifySlot(15);
  second.notifySlot(17);
  second.listener?.onClosed('gone too');
  first.notifyWrite('a', 18, 'y');
  expect(events).toEqual(['slot 14', 'a x', 'slot 17', 'a y']);
});

test('sources: one that has not joined keeps nothing, and begins a connection of its own', async () => {
  const { sources, events } = await openBoth();
  const [first, second] = sources;
  first.notifySlot(10);
  second.listener?.onOpened();
  second.notifySlot(11);
  first.notifySlot(12);
  events.length = 0;
  first.listener?.onClosed('gone');
  expect(events).toEqual(['closed: gone', 'opened']);
});

test('sources: the first that notifies a write wins, and the other confirms it', async () => {
  const { sources, events } = await openBoth();
  const [first, second] = sources;
  second.listener?.onOpened();
  first.notifySlot(10);
  events.length = 0;
  for (const source of [second, first]) source.notifyWrite('a', 10, 'x');
  for (const source of [first, second]) source.notifyWrite('a', 10, 'y');
  expect(events).toEqual(['a x', 'a y']);
});

test('sources: a slot that began before the subscription is not announced to the reading', async () => {
  for (const statuses of [['begun', 'processed'], ['processed']] as const) {
    const { merged, sources, events } = await openBoth();
    const [first] = sources;
    merged.connection.dropConnection('again');
    for (const status of statuses.slice(0, -1)) first.notifySlot(10, status);
    first.notifyWrite('a', 10, 'x');
    events.length = 0;
    await subscribe(merged, events);
    first.notifySlot(10, 'processed');
    for (const status of statuses) first.notifySlot(11, status);
    expect(events).toEqual(['slot 11']);
  }
});

test('sources: one that goes on after the book was given up begins a connection', async () => {
  const { merged, sources, events } = await openBoth();
  const [first] = sources;
  first.notifySlot(10);
  events.length = 0;
  first.listener?.onInterrupted('cut');
  merged.connection.dropConnection('it took too long');
  first.listener?.onResumed();
  expect(events).toEqual(['closed: it took too long', 'opened']);
});

describe('sources: the next write of the other one is the next change of the book, as the first', () => {
  test.each(['onInterrupted', 'onClosed'] as const)('ends amid a slot: %s', async (ended) => {
    const { sources, events } = await openBoth();
    const [first, second] = sources;
    first.notifySlot(10);
    second.listener?.onOpened();
    second.notifySlot(11);
    first.notifySlot(13);
    first.notifyWrite('a', 13, 'x');
    events.length = 0;
    first.listener?.[ended]('gone');
    // The second source was late. The merge must not wait for its slot or for the first source.
    second.notifyWrite('a', 13, 'x');
    second.notifyWrite('a', 13, 'y');
    second.notifyWrite('b', 13, 'z');
    expect(events).toEqual(['a y', 'b z']);
  });
});
