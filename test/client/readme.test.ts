/** The package's README: what it shows is run, against a service, as it stands there. */
import { sign } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { AccountCache } from '../../src/client/accounts/index.js';
import type { MarkPriceCache, OraclePriceCache, PriceFeed } from '../../src/client/index.js';
import { HttpClient } from '../../src/client/index.js';
import { CandleService } from '../support/candle-service.js';
import { capturedAccount } from '../support/captured-accounts.js';
import { ClientWorld, settle } from '../support/client-world.js';
import { endingOrders, oddUser } from '../support/odd-accounts.js';
import { addressOf, maker, OrderServer, orderFrame } from '../support/order-server.js';
import { ServiceChild } from '../support/service-child.js';
import { ServiceProbe } from '../support/service-probe.js';
import { SteppedDemo } from '../support/stepped-demo.js';
import { until } from '../support/until.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readme = await readFile(path.join(root, 'src/client/README.md'), 'utf8');

/** The code below each heading that has some. */
const snippets = new Map(
  [...readme.matchAll(/^## (.+)\n\n```ts\n([\s\S]+?)```/gm)].map(([, name = '', code = '']) => [
    name,
    code,
  ]),
);
const CODE_LINES_MAX = 5;

let demo: SteppedDemo;
let service: ServiceProbe;
let folder: string;

beforeAll(async () => {
  demo = await SteppedDemo.start({ seed: 29, makers: 20, slotTimeMs: 200 });
  service = await ServiceProbe.start(demo.relay);
  folder = await mkdtemp(path.join(tmpdir(), 'slotbook-readme-'));
});

afterEach(() => vi.unstubAllGlobals());

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await service?.stop();
  await demo?.stop();
});

/** What the section of prices leaves open. */
interface Fed {
  readonly oracles: OraclePriceCache;
  readonly marks: MarkPriceCache;
  readonly feed: PriceFeed;
}

interface Ran {
  readonly drawn: unknown[][];
  readonly logged: unknown[][];
  readonly locals: Readonly<Record<string, { close?(): void; stop?(): void }>>;
}

/** Runs a snippet as a module, its imports from the sources, and what it leaves open as exports. */
async function run(name: string, given: Readonly<Record<string, unknown>>): Promise<Ran> {
  const [drawn, logged]: [unknown[][], unknown[][]] = [[], []];
  const code = snippets.get(name) ?? '';
  const names = [...code.matchAll(/^const (\w+|\[[\w, ]+\]) =/gm)].flatMap(([, local]) =>
    (local ?? '').match(/\w+/g),
  );
  const context = { ...given, draw: (...args: unknown[]) => drawn.push(args) };
  vi.stubGlobal('readmeContext', {
    ...context,
    console: { log: (...args: unknown[]) => logged.push(args) },
  });
  const givenNames = [...Object.keys(context), 'console'].join(', ');
  const head = `const { ${givenNames} } = globalThis.readmeContext;\n`;
  const contents = `${head}${code}\nexport { ${names.join(', ')} };`;
  const file = path.join(folder, `${name.replace(/\W/g, '-')}.mjs`);
  const result = await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    alias: {
      '@slotbook/client/replay': path.join(root, 'src/client/replay/index.ts'),
      '@slotbook/client/chain': path.join(root, 'src/client/chain/index.ts'),
      '@slotbook/client/accounts': path.join(root, 'src/client/accounts/index.ts'),
      '@slotbook/client': path.join(root, 'src/client/index.ts'),
    },
    ...{ bundle: true, format: 'esm', target: 'es2022', write: false },
  });
  await writeFile(file, result.outputFiles[0]?.contents ?? '');
  const locals = await import(pathToFileURL(file).href);
  return { drawn, logged, locals };
}

test('every client is shown in five lines of its own', () => {
  expect([...snippets.keys()]).toEqual([
    'Paths',
    'Streams',
    'A watched account',
    'Order book',
    'Prices',
    'Books of the past',
    'Candles',
    'Trades',
    'Accounts',
    'Book from the chain',
    'Auctions from the chain',
    'Signed orders',
  ]);
  for (const code of snippets.values()) {
    const lines = code
      .trim()
      .split('\n')
      .filter((line) => !/^import |^}$/.test(line));
    expect(lines.length).toBeLessThanOrEqual(CODE_LINES_MAX);
  }
});

test('Paths', async () => {
  const { logged } = await run('Paths', { url: service.url });
  expect(logged).toEqual([[20, expect.stringMatching(/^\d+(\.\d+)?$/)]]);
});

test('Streams', async () => {
  vi.stubGlobal('WebSocket', WebSocket);
  const { logged, locals } = await run('Streams', { url: service.url });
  expect(logged).toEqual([['live', true, expect.any(BigInt), expect.any(BigInt)]]);
  locals['stream']?.close?.();
});

test('A watched account', async () => {
  vi.stubGlobal('WebSocket', WebSocket);
  const { bids } = await new HttpClient({ url: service.url }).l3({ marketName: 'SOL-PERP' });
  const { logged, locals } = await run('A watched account', {
    url: service.url,
    account: bids[0]?.maker,
  });
  await until('the account', () => logged.length > 0);
  expect(logged[0]).toEqual([expect.any(Number), expect.any(Number), expect.any(Number), []]);
  expect(logged[0]?.[0]).toBeGreaterThan(0);
  locals['watch']?.close?.();
});

test('Order book', async () => {
  vi.stubGlobal('WebSocket', WebSocket);
  const { drawn, locals } = await run('Order book', { url: service.url });
  await until(() => drawn.length > 1);
  expect(drawn.at(-1)?.slice(2)).toEqual([expect.any(BigInt), expect.any(BigInt)]);
  (locals['book'] as unknown as { destroy(): void }).destroy();
});

test('Prices', async () => {
  const { drawn, locals } = await run('Prices', { url: service.url });
  await until(() => drawn.length > 1);
  expect(drawn[0]).toEqual([expect.any(BigInt), expect.any(BigInt)]);
  locals['feed']?.stop?.();
});

test('Books of the past', async () => {
  vi.stubGlobal('WebSocket', WebSocket);
  const child = await ServiceChild.demo(['--makers', '20']);
  try {
    const moment = Date.now();
    const { drawn } = await run('Books of the past', { url: child.url, moment });
    const best = [expect.any(BigInt), expect.any(BigInt)];
    expect(drawn).toEqual([best, [...best, expect.any(Number)]]);
  } finally {
    await child.stop();
  }
});

test('Candles', async () => {
  const scripted = new CandleService();
  scripted.fill(10, 60);
  vi.stubGlobal('WebSocket', scripted.world.WebSocket);
  vi.stubGlobal('fetch', scripted.fetch);
  const now = scripted.nowS;
  const running = run('Candles', { url: 'http://service', now });
  await until(() => scripted.world.sockets.length > 0);
  scripted.world.socket.open();
  await until(() => scripted.world.socket.sent.length > 0);
  const [last] = scripted.candles;
  const named = { symbol: 'SOL-PERP', resolution: '1' };
  scripted.world.socket.say(
    { type: 'init', ...named, candle: last },
    { type: 'subscription', ...named },
  );
  const { drawn, locals } = await running;
  await settle();
  expect(drawn.map(([what]) => (Array.isArray(what) ? what.length : what))).toEqual([10, last]);
  locals['candles']?.close?.();
});

test('Accounts', async () => {
  // The caches of the section before it, which this one goes on with: the feed has their prices.
  const prices = await run('Prices', { url: service.url });
  const { oracles, marks, feed } = prices.locals as unknown as Fed;
  const { drawn, locals } = await run('Accounts', {
    ...{ oracles, marks, slot: 1, userBytes: capturedAccount('user-9Jtc-devnet') },
    perpMarkets: [capturedAccount('perp-0-sol-202603')],
    spotMarkets: ['spot-0-usdc-202603', 'spot-1-sol-202506'].map(capturedAccount),
  });
  await until(() => drawn.at(-1)?.[1] !== undefined);
  feed.stop();
  const [name, health, free] = drawn.at(-1) ?? [];
  expect(name).toBe('Main Account');
  expect(health).toBeGreaterThan(0);
  expect(health).toBeLessThan(100);
  expect(free).toBeGreaterThan(0n);
  // A quote market without a price leaves no margin, as it is written there.
  const accounts = locals['accounts'] as unknown as AccountCache;
  accounts.updatePrices({ spot_0: { oracle: null } });
  expect(drawn.at(-1)).toEqual([name, undefined, undefined]);
  accounts.destroy();
});

test('Trades', async () => {
  const world = new ClientWorld();
  vi.stubGlobal('WebSocket', world.WebSocket);
  const running = run('Trades', { url: 'http://service' });
  await until(() => world.sockets.length > 0);
  world.socket.open();
  await until(() => world.socket.sent.length > 0);
  const named = { channelType: 'trades', symbol: 'SOL-PERP' };
  world.socket.say({ type: 'init', ...named, trades: [] }, { type: 'subscription', ...named });
  const { drawn, locals } = await running;
  expect(drawn).toEqual([['init', [], [], 0]]);
  expect(world.socket.sent.map(({ type }) => type)).toEqual(['subscribe', 'unsubscribe']);
  locals['trades']?.close?.();
});

test('Book from the chain', async () => {
  vi.stubGlobal('WebSocket', WebSocket);
  const { rpcUrl, wsUrl } = demo.relay;
  const { drawn, logged, locals } = await run('Book from the chain', { rpcUrl, wsUrl });
  await until(() => drawn.length > 0);
  const l2 = { bids: expect.any(Array), asks: expect.any(Array) };
  expect([drawn[0], logged]).toEqual([[expect.any(BigInt), expect.any(BigInt), l2], []]);
  locals['chain']?.close?.();
});

test('Auctions from the chain', async () => {
  vi.stubGlobal('WebSocket', WebSocket);
  const { rpcUrl, wsUrl } = demo.relay;
  const { drawn, locals } = await run('Auctions from the chain', { rpcUrl, wsUrl });
  const oracle = demo.life.markets[0]?.feed.price ?? 0n;
  const user = oddUser({ seed: 90 }, endingOrders({ clock: demo.clock, oracle, slotsEach: 4 }));
  // The program's mark, which the simulated program leaves as it is.
  user.data.writeUInt8(1, 4354);
  await demo.write(user);
  const isTold = () => drawn.some(([address]) => address === user.pubkey);
  await until(isTold);
  locals['auctions']?.close?.();
});

test('Signed orders', async () => {
  vi.stubGlobal('WebSocket', WebSocket);
  const server = new OrderServer();
  const { drawn, logged, locals } = await run('Signed orders', {
    url: await server.url(),
    publicKey: addressOf(maker.privateKey),
    sign: (challenge: Uint8Array) => new Uint8Array(sign(null, challenge, maker.privateKey)),
  });
  await until(() => server.subscribed.length >= 1);
  server.send(orderFrame());
  await until(() => drawn.length > 0);
  const params = expect.objectContaining({ marketIndex: 2 });
  expect([drawn[0], logged]).toEqual([['tsW06Om8', params, expect.any(String)], []]);
  locals['feed']?.close?.();
  server.close();
});
