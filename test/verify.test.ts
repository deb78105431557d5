/** The verification as its command runs it, against services that are right and wrong. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { verifyService } from '../src/app/start-service.js';
import { ConfigReader } from '../src/config/config.js';
import type { Flags } from '../src/config/setting-reader.js';
import { oddUser } from './support/odd-accounts.js';
import { ServiceProbe } from './support/service-probe.js';
import { SteppedDemo } from './support/stepped-demo.js';
import { until } from './support/until.js';

let demo: SteppedDemo;
let service: ServiceProbe;
let fake: Server | undefined;

beforeAll(async () => {
  demo = await SteppedDemo.start({ seed: 99, makers: 40, slotTimeMs: 200 });
  service = await ServiceProbe.start(demo.relay);
  service.hasRead(await demo.texts());
});

afterEach(() => {
  fake?.close();
  fake?.closeAllConnections();
  fake = undefined;
});

afterAll(async () => {
  await service?.stop();
  await demo?.stop();
});

/** Verifies a service with the chain: whether nothing differs, and the lines that are printed. */
async function verify(url: string, flags: Flags = {}) {
  const { rpcUrl, wsUrl } = demo.relay;
  const printed: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  const config = new ConfigReader({ rpcUrl, wsUrl, url, logLevel: 'silent', ...flags }, {});
  try {
    const isEqual = await verifyService(config.readVerify());
    return { isEqual, lines: printed.join('').trim().split('\n') };
  } finally {
    vi.restoreAllMocks();
  }
}

/** A service that answers as the listener says. */
async function fakeService(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  fake = server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a service whose market moves is found equal', async () => {
  let moving = true;
  const life = (async () => {
    while (moving) {
      await demo.step(5);
      await sleep(50);
    }
  })();
  const { isEqual, lines } = await verify(service.url);
  moving = false;
  await life;
  expect(isEqual).toBe(true);
  const symbols = await service.symbols();
  for (const symbol of symbols) {
    const line = new RegExp(`^${symbol} equal (but \\d+ .*, )?\\d+ orders seq \\d+ slot \\d+$`);
    expect(lines.filter((one) => line.test(one))).toHaveLength(1);
  }
  expect(lines.at(-1)).toMatch(new RegExp(`^equal: ${symbols.length} markets, \\d+ orders$`));
});

test('a service that missed a notification is found different, order by order', async () => {
  const price = (demo.life.markets[0]?.feed.price ?? 0n) / 2n;
  const slot = BigInt(demo.clock.slot);
  const order = { slot, price: price - (price % 100n), baseAssetAmount: 1_000_000_000n };
  const odd = oddUser({ seed: 77 }, [order, { ...order, baseAssetAmount: 3_000_000_000n }]);
  // What is lost is the next account, and not one that is still under way.
  await until(async () => service.hasHeard(await demo.texts()));
  let left = 1;
  demo.relay.dropNotifications(() => left-- > 0);
  await demo.write(odd);
  const { isEqual, lines } = await verify(service.url, { markets: 'sol-perp,BTC-PERP' });
  expect(isEqual).toBe(false);
  const missing = (id: number, size: string) =>
    `SOL-PERP bid ${odd.pubkey}/${id}: service none, chain ${size}@${order.price}`;
  expect(lines[0]).toBe(missing(1, '1000000000'));
  expect(lines[1]).toBe(missing(2, '3000000000'));
  expect(lines[2]).toMatch(/^BTC-PERP equal \d+ orders/);
  expect(lines[3]).toBe('different: 1 of 2 markets, 2 differences');

  // The next state of the account heals it.
  await demo.write(oddUser({ seed: 77 }, []));
  const healed = await verify(service.url, { markets: 'SOL-PERP' });
  expect([healed.isEqual, healed.lines.length]).toEqual([true, 2]);
});

test('a market that is not served, or not on chain, is told', async () => {
  const names = JSON.stringify([{ symbol: 'SOL-PERP' }, { symbol: 'NO-PERP' }]);
  const url = await fakeService(async (request, response) => {
    const path = request.url ?? '/';
    if (path === '/markets') return response.end(names);
    const { status, text } = await service.get(path);
    return response.writeHead(status).end(text);
  });
  const { isEqual, lines } = await verify(url);
  expect(isEqual).toBe(false);
  expect(lines).toContain('BTC-PERP: not served');
  expect(lines).toContain('NO-PERP: served, and not on chain');
  expect(lines.at(-1)).toMatch(/^different: \d of \d markets, \d differences$/);
});

test('a service that cannot be compared is told, and is neither equal nor different', async () => {
  const error = { code: 'NOT_READY', message: 'the book is stale: no slot for 9000 ms' };
  const url = await fakeService((_, response) => {
    response.writeHead(503).end(JSON.stringify({ error }));
  });
  await expect(verify(url, { seconds: '1' })).rejects.toMatchObject({
    code: 'SERVICE_NOT_READY',
    message: expect.stringContaining('the service is not ready: the book is stale'),
  });
  await expect(verify(service.url, { markets: 'XYZ' })).rejects.toMatchObject({
    code: 'UNKNOWN_MARKET_NAME',
    message: 'the chain has no market XYZ',
  });
});

test('a service that says live and lags far behind is found different', async () => {
  const kept = new Map<string, { status: number; text: string }>();
  const url = await fakeService(async (request, response) => {
    const path = request.url ?? '/';
    const answer = kept.get(path) ?? (await service.get(path));
    kept.set(path, answer);
    const text = /^\/l[23]/.test(path)
      ? answer.text.replace(/"slot":\d+,"mark/, '"slot":1,"mark')
      : answer.text;
    response
      .writeHead(answer.status)
      .end(text.replace(/("marketIndex":\d+,"ts":\d+,"slot":)\d+/, '$11'));
  });
  const { isEqual, lines } = await verify(url, { markets: 'BTC-PERP' });
  expect(isEqual).toBe(false);
  expect(lines).toContain('BTC-PERP slot: service more than 25 slots behind, chain none');
});
