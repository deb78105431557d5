/** The verification through the real command line, against services that are right and wrong. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { oddUser } from './support/odd-accounts.js';
import { ServiceProbe } from './support/service-probe.js';
import { SteppedDemo } from './support/stepped-demo.js';
import { until } from './support/until.js';

const cli = fileURLToPath(new URL('../dist/src/app/cli.js', import.meta.url));

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

/** Runs `slotbook verify` against the chain, and answers how it ended and what it said. */
async function verify(...args: readonly string[]) {
  const { rpcUrl, wsUrl } = demo.relay;
  const cluster = ['--rpc-url', rpcUrl, '--ws-url', wsUrl];
  // Slots that are late on a busy machine are told on stderr.
  const late = { SLOTBOOK_LAGGING_AFTER_MS: '60000', SLOTBOOK_STALE_AFTER_MS: '120000' };
  const env = { ...process.env, ...late };
  const options = { stdio: 'pipe', env } as const;
  const child = spawn(process.execPath, [cli, 'verify', ...cluster, ...args], options);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text) => {
    stdout += text;
  });
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, lines: stdout.trim().split('\n'), stderr };
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
  const { code, lines, stderr } = await verify('--url', service.url);
  moving = false;
  await life;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
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
  demo.relay.dropNotifications(1);
  await demo.write(odd);
  const { code, lines } = await verify('--url', service.url, '--markets', 'sol-perp,BTC-PERP');
  expect({ code, lines }).toMatchObject({ code: 1 });
  const missing = (id: number, size: string) =>
    `SOL-PERP bid ${odd.pubkey}/${id}: service none, chain ${size}@${order.price}`;
  expect(lines[0]).toBe(missing(1, '1000000000'));
  expect(lines[1]).toBe(missing(2, '3000000000'));
  expect(lines[2]).toMatch(/^BTC-PERP equal \d+ orders/);
  expect(lines[3]).toBe('different: 1 of 2 markets, 2 differences');

  // The next state of the account heals it.
  await demo.write(oddUser({ seed: 77 }, []));
  const healed = await verify('--url', service.url, '--markets', 'SOL-PERP');
  expect([healed.code, healed.lines.length]).toEqual([0, 2]);
});

test('a market that is not served, or not on chain, is told', async () => {
  const names = JSON.stringify([{ symbol: 'SOL-PERP' }, { symbol: 'NO-PERP' }]);
  const url = await fakeService(async (request, response) => {
    const path = request.url ?? '/';
    if (path === '/markets') return response.end(names);
    const { status, text } = await service.get(path);
    return response.writeHead(status).end(text);
  });
  const { code, lines } = await verify('--url', url);
  expect(code).toBe(1);
  expect(lines).toContain('BTC-PERP: not served');
  expect(lines).toContain('NO-PERP: served, and not on chain');
  expect(lines.at(-1)).toMatch(/^different: \d of \d markets, \d differences$/);
});

test('a service that cannot be compared is told, and is neither equal nor different', async () => {
  const nobody = await verify('--url', 'http://127.0.0.1:9/secretkey');
  expect(nobody).toMatchObject({ code: 2, lines: [''] });
  const unreachable = 'SERVICE_UNREACHABLE: the service at 127.0.0.1:9 does not answer';
  expect(nobody.stderr).toContain(unreachable);
  expect(nobody.stderr).not.toContain('secretkey');

  const error = { code: 'NOT_READY', message: 'the book is stale: no slot for 9000 ms' };
  const url = await fakeService((_, response) => {
    response.writeHead(503).end(JSON.stringify({ error }));
  });
  const stale = await verify('--url', url, '--seconds', '1');
  expect(stale.code).toBe(2);
  expect(stale.stderr).toContain('SERVICE_NOT_READY: the service is not ready: the book is stale');

  const unknown = await verify('--url', service.url, '--markets', 'XYZ');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('UNKNOWN_MARKET_NAME: the chain has no market XYZ');
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
  const { code, lines } = await verify('--url', url, '--markets', 'BTC-PERP');
  expect(code).toBe(1);
  expect(lines).toContain('BTC-PERP slot: service more than 25 slots behind, chain none');
});
