/** What has the AMM's levels where nothing is said: the table of docs/book.md against the code. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OrderBookCache } from '../src/client/caches/order-book.js';
import { PriceFeed } from '../src/client/caches/price-feed.js';
import type { HttpClient } from '../src/client/http/client.js';
import type { StreamClient } from '../src/client/stream/client.js';
import { followOptions, topicOf } from '../src/follow/follow-options.js';
import { paths } from '../src/server/routes/paths.js';
import { ClientMessage } from '../src/server/sockets/client-message.js';
import { compatible } from '../src/server/sockets/compatible-dialect.js';
import { streaming } from '../src/server/sockets/stream-dialect.js';
import type { ChannelParts } from '../src/server/sockets/subscription.js';
import { FakeBook, type RunningServer, startServer } from '../src/server/testing/running-server.js';

interface Defaults {
  readonly vamm: boolean;
  /** Rows a side; absent where there is no depth. */
  readonly rows?: number | 'all';
}

const book = new FakeBook();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(book, { compatDefaults: true });
});

afterAll(() => server?.close());

interface Asked {
  readonly vamm?: boolean;
  readonly depth?: number;
}

/** What the book was asked for by a path, which the fake one repeats. */
async function askedBy(path: string, more = 'marketName=SOL-PERP'): Promise<Defaults> {
  const response = await fetch(`${server.url}${path}?${more}`);
  expect(response.status).toBe(200);
  const body = (await response.json()) as { asked?: Asked; l2s?: readonly { asked: Asked }[] };
  const { vamm = false, depth = 'all' } = body.asked ?? body.l2s?.[0]?.asked ?? {};
  return { vamm, rows: depth };
}

/** Without parameters of its own a path has no AMM. */
function withoutFlag(path: '/topMakers' | '/auctions'): Defaults {
  expect(paths[path].params.properties).not.toHaveProperty('includeVamm');
  return { vamm: false };
}

const parts = { book, directory: book } as unknown as ChannelParts;

/** The name of the fake book's topic says what it shows. */
function ofStream(channel: string): Defaults {
  const text = JSON.stringify({ type: 'subscribe', channel, market: 'SOL-PERP' });
  const message = ClientMessage.parse(text) as ClientMessage;
  const [, , depth, ...flags] = streaming.readRequest(message, parts).key.split(':');
  return { vamm: flags.includes('vamm'), rows: Number(depth ?? 1) };
}

function ofChannel(channel: string): Defaults {
  const text = JSON.stringify({ channel, marketType: 'perp', market: 'SOL-PERP' });
  const message = ClientMessage.parse(text) as ClientMessage;
  const { key } = compatible.readRequest(message, parts);
  const { vamm, depth } = JSON.parse(key.slice(key.indexOf('{')));
  return { vamm, rows: depth };
}

/** The command names its depth itself. */
function ofFollow(): Defaults {
  const { topic } = followOptions({ url: server.url, market: 'SOL-PERP', flags: {} });
  const asked = topicOf(topic) as { includeVamm?: boolean; depth?: number };
  return { vamm: asked.includeVamm === true, rows: asked.depth ?? Number.NaN };
}

async function ofMatch(): Promise<Defaults> {
  const order = 'marketName=SOL-PERP&side=buy&size=1000000000';
  const asked = (await (await fetch(`${server.url}/match?${order}`)).json()) as object;
  return { vamm: !('includeVamm' in asked) || asked.includeVamm === true };
}

function ofOrderBookCache(): Defaults {
  const asked: Asked[] = [];
  const listen = (): void => undefined;
  const subscribe = (topic: { includeVamm?: boolean; depth?: number }): object => {
    asked.push({ vamm: topic.includeVamm ?? false, depth: topic.depth ?? 50 });
    return { onError: listen, onRetry: listen, onUpdate: listen, close: listen };
  };
  const cache = new OrderBookCache({ subscribe } as unknown as StreamClient);
  cache.updateSubscription({ market: 'SOL-PERP' });
  cache.destroy();
  const [{ vamm = false, depth = Number.NaN } = {}] = asked;
  return { vamm, rows: depth };
}

function ofPriceFeed(): Promise<Defaults> {
  return new Promise((resolve) => {
    const batchL2 = async (queries: readonly { includeVamm: boolean; depth: number }[]) => {
      const [{ includeVamm: vamm, depth: rows } = { includeVamm: false, depth: 0 }] = queries;
      resolve({ vamm, rows });
      feed.stop();
      return [];
    };
    const http = { batchL2 } as unknown as HttpClient;
    const feed = new PriceFeed({ http, markets: [{ marketName: 'SOL-PERP' }] });
    feed.start();
  });
}

/** By the names of the table. */
const inCode: Readonly<Record<string, () => Defaults | Promise<Defaults>>> = {
  '/l2': () => askedBy('/l2'),
  '/batchL2': () => askedBy('/batchL2'),
  '/batchL2Cache': () => askedBy('/batchL2Cache'),
  '/dlob/l2': () => askedBy('/dlob/l2'),
  '/dlob/batchL2': () => askedBy('/dlob/batchL2'),
  '/dlob/batchL2Cache': () => askedBy('/dlob/batchL2Cache'),
  '/l3': () => askedBy('/l3'),
  '/topMakers': () => withoutFlag('/topMakers'),
  '/auctions': () => withoutFlag('/auctions'),
  '/orderbook': async () => ({
    vamm: true,
    rows: paths['/orderbook'].params.properties.depth.default / 2,
  }),
  '/match': ofMatch,
  'slotbook match': ofMatch,
  book: () => ofStream('book'),
  StreamClient: () => ofStream('book'),
  bbo: () => ofStream('bbo'),
  l3: () => ofStream('l3'),
  'slotbook follow': ofFollow,
  orderbook: () => ofChannel('orderbook'),
  orderbook_indicative: () => ofChannel('orderbook_indicative'),
  OrderBookCache: ofOrderBookCache,
  PriceFeed: ofPriceFeed,
};

const docs = readFileSync(new URL('../docs/book.md', import.meta.url), 'utf8');
const table = docs.split("## What has the AMM's levels")[1]?.split('\n## ')[0] ?? '';

/** Each name of the first column with the defaults of its row. */
const inTable = [...table.matchAll(/^\| (.*`.*) \| (yes|no)\b[^|]* \|([^|]*)\|$/gm)].flatMap(
  ([, names = '', vamm, rows = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].flatMap(([, name = '']): readonly [string, Defaults][] => {
      const shown = rows.trim();
      const count: Defaults['rows'] = shown === 'all' ? 'all' : Number(shown);
      const given: Pick<Defaults, 'rows'> = shown === '' ? {} : { rows: count };
      return name.startsWith('--') ? [] : [[name, { vamm: vamm === 'yes', ...given }]];
    }),
);

test('the table has every path, channel and part of the client', () => {
  expect(inTable.map(([name]) => name).sort()).toEqual(Object.keys(inCode).sort());
});

test.each(inTable)('%s is as the table says', async (name, expected) => {
  expect(await inCode[name]?.()).toEqual(expected);
});

test('without the flag /dlob has the same defaults as the other prefixes', async () => {
  const plain = await startServer(book);
  const text = async (path: string) =>
    (await fetch(`${plain.url}${path}?marketName=SOL-PERP`)).text();
  expect(await text('/dlob/l2')).toBe(await text('/l2'));
  expect(await text('/dlob/batchL2')).toBe(await text('/batchL2'));
  plain.close();
});

test('what is said counts under /dlob as well', async () => {
  const asked = await askedBy('/dlob/l2', 'marketName=SOL-PERP&depth=7&includeVamm=false');
  expect(asked).toEqual({ vamm: false, rows: 7 });
  const batch = await askedBy('/dlob/batchL2', 'marketName=SOL-PERP&depth=&includeVamm=false');
  expect(batch).toEqual({ vamm: false, rows: 100 });
});
