/** The page's book state while the service does not send a book. */
import { afterEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { answer, ScriptedStream } from '../../../test/support/scripted-stream.js';
import { until } from '../../../test/support/until.js';
import { BookFeed } from './book-feed.js';
import { TruthMeter } from './truth-meter.js';

const stops: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  vi.unstubAllGlobals();
});

/** A book without rows, whose checksum is the empty text's. */
const snapshot = JSON.stringify({
  ...{ type: 'snapshot', topic: 'book', epoch: '1', seq: 1, slot: 1, ts: 1, state: 'live' },
  ...{ bids: [], asks: [], crc: 0 },
});

async function followFirst(second: 'cut' | 'refuse for now'): Promise<BookFeed> {
  vi.stubGlobal('WebSocket', WebSocket);
  let topics = 0;
  const service = await ScriptedStream.start((_count, sent, client) => {
    if (sent['type'] !== 'subscribe') return;
    topics += 1;
    if (topics === 1) answer(client, sent, [snapshot]);
    else if (second === 'cut') client.terminate();
    else
      client.send(
        JSON.stringify({ type: 'error', id: sent.id, error: { code: 'NOT_READY', message: '' } }),
      );
  });
  stops.push(() => service.stop());
  const feed = new BookFeed(service.url.replace('ws', 'http'), new TruthMeter(Date.now), {
    onChange: () => {},
  });
  stops.push(() => feed.stream.close());
  feed.show({ market: 'SOL-PERP', grouping: 1, hasAmm: true });
  await until('the first book', () => feed.freshness.state === 'live');
  return feed;
}

test('a book of the grouping before is not live while the new one is refused for now', async () => {
  const feed = await followFirst('refuse for now');
  feed.show({ market: 'SOL-PERP', grouping: 100, hasAmm: true });
  expect([feed.shown?.choice.grouping, feed.freshness.state]).toEqual([1, 'connecting']);
});

test('a book of the grouping before is disconnected when the connection is lost', async () => {
  const feed = await followFirst('cut');
  feed.show({ market: 'SOL-PERP', grouping: 100, hasAmm: true });
  await until('the loss', () => feed.freshness.state === 'disconnected');
  expect(feed.shown?.choice.grouping).toBe(1);
});

test('a book whose best prices alone break off is not live', async () => {
  vi.stubGlobal('WebSocket', WebSocket);
  const bbo = { type: 'snapshot', topic: 'bbo', epoch: '1', seq: 1, slot: 1, ts: 1, state: 'live' };
  const best = JSON.stringify({ ...bbo, bid: null, ask: null, crc: 0 });
  let bests = 0;
  const service = await ScriptedStream.start((_count, sent, client) => {
    if (sent['type'] !== 'subscribe') return;
    if (sent['channel'] === 'book') return answer(client, sent, [snapshot]);
    bests += 1;
    // The second subscription is the repair, which gets no response.
    if (bests === 1) answer(client, sent, [best]);
  });
  stops.push(() => service.stop());
  const feed = new BookFeed(service.url.replace('ws', 'http'), new TruthMeter(Date.now), {
    onChange: () => {},
  });
  stops.push(() => feed.stream.close());
  feed.show({ market: 'SOL-PERP', grouping: 10, hasAmm: true });
  await until('the book', () => feed.freshness.state === 'live');
  const delta = { ...bbo, type: 'delta', prev: 1, seq: 2, bid: ['1', '1'], ask: null, crc: 1 };
  service.sendToAll(JSON.stringify(delta));
  await until('the loss', () => feed.freshness.state === 'disconnected');
  expect(feed.shown?.view.isFollowing).toBe(true);
});
