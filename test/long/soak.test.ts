/**
 * A demo under load for a while, followed by many: every frame fits the one before, and memory stays where it is.
 * The long form (`npm run test:long -- soak`) runs for half an hour.
 */
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  type ProtocolViolation,
  StreamClient,
  strictChecks,
  type Topic,
} from '../../src/client/index.js';
import { ServiceChild } from '../support/service-child.js';
import { until } from '../support/until.js';

const SECONDS = Number(process.env['SOAK_SECONDS'] ?? 10);
const FOLLOWERS = 50;
/** Frames of each follower, at least, in the short form on a slow machine. */
const FRAMES_MIN = 5;
const SAMPLE_MS = 1_000;
/** What the second half of a long run may take beyond the first: the garbage of a moment, and candles of the hour. */
const GROWTH_MEGABYTES_MAX = 24;
/** Memory is still filling caches and the history's pages in a short one. */
const IS_LONG = SECONDS >= 600;

const MARKETS = ['SOL-PERP', 'BTC-PERP', 'ETH-PERP', 'SOL'] as const;

let service: ServiceChild | undefined;
let clients: StreamClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await service?.stop();
});

/** A topic for each follower: all markets and channels, several depths and groupings. */
function topicOf(index: number): Topic {
  const market = MARKETS[index % MARKETS.length] ?? 'SOL-PERP';
  switch (index % 5) {
    case 0:
      return { channel: 'bbo', market, includeVamm: index % 2 === 0 };
    case 1:
      return { channel: 'l3', market };
    case 2:
      return { channel: 'book', market, depth: 50, grouping: 10 };
    case 3:
      return { channel: 'book', market, depth: 20, includeVamm: true, includeIndicative: true };
    default:
      return { channel: 'book', market, depth: 20 };
  }
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

test(
  `${FOLLOWERS} followers of a demo at 300 writes a second see no broken link, and memory stays`,
  async () => {
    service = await ServiceChild.demo(['--rate', '300', '--fills', '5']);
    const { url } = service;
    const violations: ProtocolViolation[] = [];
    const frames = Array<number>(FOLLOWERS).fill(0);
    clients = frames.map(
      (_, index) =>
        new StreamClient({
          ...{ url, WebSocket, checks: strictChecks, silenceMsMax: 60_000 },
          onFrame: () => {
            frames[index] = (frames[index] ?? 0) + 1;
          },
          onRepair: (violation) => violations.push(violation),
        }),
    );
    const ended: unknown[] = [];
    for (const [index, client] of clients.entries()) {
      client.subscribe(topicOf(index) as never).onError((error) => ended.push(error));
    }
    const untilMs = performance.now() + SECONDS * 1_000;
    const rss: number[] = [];
    let nextMs = performance.now();
    await until(
      'the end of the run',
      () => {
        if (performance.now() >= nextMs) {
          nextMs += SAMPLE_MS;
          rss.push(service?.readStats().rssMegabytes ?? Number.NaN);
        }
        const isOver = performance.now() >= untilMs;
        return (isOver && Math.min(...frames) >= FRAMES_MIN) || !service?.isAlive;
      },
      SECONDS * 1_000 + 120_000,
    );
    expect(service.isAlive).toBe(true);
    expect(ended).toEqual([]);
    expect(violations.map(({ message }) => message)).toEqual([]);
    const half = rss.slice(rss.length / 2);
    const [early, late] = [half.slice(0, half.length / 2), half.slice(half.length / 2)].map(median);
    const total = frames.reduce((sum, count) => sum + count, 0);
    process.stdout.write(
      `soak: ${rss.length} s, ${total} frames, 0 broken links, RSS ${early?.toFixed(0)} MB in the third quarter, ${late?.toFixed(0)} MB in the fourth\n`,
    );
    if (IS_LONG) expect((late ?? 0) - (early ?? 0)).toBeLessThan(GROWTH_MEGABYTES_MAX);
  },
  SECONDS * 1_000 + 240_000,
);
