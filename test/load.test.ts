/** `slotbook load`: against the demo, and through a relay that spoils what passes. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { load } from '../src/load/load.js';
import type { LoadFlags } from '../src/load/load-options.js';
import { DemoService } from './support/demo-service.js';
import { type Spoiling, SpoilingRelay } from './support/spoiling-relay.js';
import { until } from './support/until.js';

const FEW = { readers: '4', compatible: '2', pollers: '2', rate: '20', seconds: '8' } as const;

let service: DemoService;
const stops: (() => void)[] = [];

beforeAll(async () => {
  service = await DemoService.start({ makers: '20', seed: '5' });
});

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

afterAll(() => service?.stop());

async function runLoad(url: string, flags: LoadFlags, stop = new AbortController().signal) {
  let text = '';
  const output = { write: (more: string) => (text += more) };
  const isGood = await load({ url, flags, output, stop });
  return { isGood, text };
}

async function runSpoilt(spoiling: Spoiling, flags: LoadFlags) {
  const relay = await SpoilingRelay.start(service.url, spoiling);
  stops.push(() => relay.stop());
  return runLoad(relay.url, flags);
}

test('readers and pollers of all markets get sound books, and their rates are told', async () => {
  const { isGood, text } = await runLoad(service.url, FEW);
  expect(text).toMatch(
    /^readers {4}4 streaming, 2 compatible; 6 have their books after [\d.]+ s\n/,
  );
  const [, frames] = /^frames {5}(\d+) in /m.exec(text) ?? [];
  const [, polls, failed] = /^polls {6}(\d+), [\d.]+ a second, (\d+) failed/m.exec(text) ?? [];
  expect(Number(frames)).toBeGreaterThan(0);
  expect(Number(polls)).toBeGreaterThan(0);
  expect(Number(failed)).toBe(0);
  expect(text.match(/^latency {4}p50 [\d.]+ ms, p90 .*, p99 .*, max /gm)).toHaveLength(2);
  expect(text).toMatch(/^cores {6}of the service \d+\.\d\d; of this program \d+\.\d\d/m);
  expect(text).toMatch(/^wrong {6}0\n$/m);
  expect(isGood).toBe(true);
});

test('a wrong checksum on a stream is found', async () => {
  const spoil = (text: string): string => text.replace(/"crc":"?\d+/, (crc) => `${crc}1`);
  const message = (text: string): string => (text.includes('"type":"delta"') ? spoil(text) : text);
  const { isGood, text } = await runSpoilt({ message }, { ...FEW, compatible: '0', pollers: '0' });
  expect(text).toMatch(/^wrong {6}crc: /m);
  expect(isGood).toBe(false);
}, 120_000);

test('a seq that falls and sides that are not sorted are found in responses and on the compatible channel', async () => {
  let calls = 0;
  const fall = (seq: string): string => `"seq":${Number(/\d+/.exec(seq)?.[0]) - calls++}`;
  const reverse = (book: { bids?: unknown[] }) => ({ ...book, bids: book.bids?.reverse() });
  const body = (path: string, text: string): string =>
    path.startsWith('/l2') ? text.replace(/"seq":\d+/, fall) : text;
  const message = (text: string): string => {
    const frame = JSON.parse(text);
    if (typeof frame.data !== 'string') return text;
    return JSON.stringify({ ...frame, data: JSON.stringify(reverse(JSON.parse(frame.data))) });
  };
  const flags = { ...FEW, readers: '0', markets: 'sol-perp' };
  const { isGood, text } = await runSpoilt({ body, message }, flags);
  expect(text).toMatch(/^wrong {6}a response: SOL-PERP: seq \d+ came after \d+/m);
  expect(text).toMatch(/^wrong {6}a compatible frame: SOL-PERP: bids are not sorted/m);
  expect(isGood).toBe(false);
}, 60_000);

test('a connection that is lost is told, and ends no run', async () => {
  const stop = new AbortController();
  const relay = await SpoilingRelay.start(service.url, {});
  stops.push(() => relay.stop());
  const flags = { readers: '2', compatible: '1', pollers: '1', seconds: '3600' };
  const running = runLoad(relay.url, flags, stop.signal);
  await until(async () => relay.clients === 3);
  relay.cutAll();
  await until(async () => relay.clients === 2);
  stop.abort();
  const { isGood, text } = await running;
  expect(text).toMatch(/^wrong {6}a compatible reader was closed with 1006$/m);
  expect(text).toMatch(/^wrong {6}a reader lost its connection, 2 times$/m);
  expect(isGood).toBe(false);
});

test.each([
  ['http://127.0.0.1:1', {}, 'LOAD_UNREACHABLE'],
  ['ftp://127.0.0.1', {}, 'INVALID_LOAD_OPTION'],
  ['http://127.0.0.1', { readers: '-1' }, 'INVALID_LOAD_OPTION'],
  ['http://127.0.0.1', { readers: '10001' }, 'INVALID_LOAD_OPTION'],
  ['http://127.0.0.1', { rate: '0' }, 'INVALID_LOAD_OPTION'],
  ['http://127.0.0.1', { depth: '11' }, 'INVALID_LOAD_OPTION'],
  ['http://127.0.0.1', { seconds: '1e3' }, 'INVALID_LOAD_OPTION'],
  ['http://127.0.0.1', { markets: 'SOL-PERP,' }, 'INVALID_LOAD_OPTION'],
  ['http://127.0.0.1', { readers: '0', pollers: '0' }, 'INVALID_LOAD_OPTION'],
])(
  '%s with %j is refused with %s',
  async (url, flags, code) => {
    await expect(runLoad(url, flags)).rejects.toMatchObject({ code });
  },
  60_000,
);

test('a market that is not served is refused', async () => {
  const run = runLoad(service.url, { markets: 'DOGE-MOON' });
  await expect(run).rejects.toMatchObject({ code: 'INVALID_LOAD_OPTION' });
});
