/** The ports of a service whose node cannot be reached: what answers all the same, and where. */
import { afterEach, expect, test, vi } from 'vitest';
import type { Service } from '../src/app/book-service.js';
import { freePort } from '../src/app/loopback-ports.js';
import { startService } from '../src/app/start-service.js';
import { ConfigReader } from '../src/config/config.js';
import type { Flags } from '../src/config/setting-reader.js';
import { makerKey, makerProbe } from './support/maker-client.js';

let service: Service | undefined;
let printed = '';

afterEach(async () => {
  await service?.stop();
  service = undefined;
  vi.restoreAllMocks();
});

/** A service for a node that nobody is, and the address at which it says its metrics are. */
async function start(flags: Flags): Promise<{ url: string; metricsUrl: string }> {
  printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  // Nobody listens on port 1.
  const node = { rpcUrl: 'http://127.0.0.1:1/v1/secret-key-of-the-node', logLevel: 'silent' };
  service = await startService(
    new ConfigReader({ ...node, port: '0', history: false, ...flags }, {}).readService(),
  );
  const metricsUrl = /(\S+)\/metrics\n/.exec(printed)?.[1] ?? '';
  return { url: service.url, metricsUrl };
}

async function statusOf(url: string): Promise<number> {
  return (await fetch(url)).status;
}

test('without --metrics-port the figures are on the one port', async () => {
  const { url, metricsUrl } = await start({});
  expect(metricsUrl).toBe(url);
  expect(await statusOf(`${url}/metrics`)).toBe(200);
});

test('with --metrics-port they are on that one only, and stop with the service', async () => {
  const { url, metricsUrl } = await start({ metricsPort: '0' });
  expect(metricsUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(metricsUrl).not.toBe(url);
  expect(await statusOf(`${metricsUrl}/metrics`)).toBe(200);
  expect(await statusOf(`${metricsUrl}/l2?marketName=SOL-PERP`)).toBe(404);
  expect(await statusOf(`${url}/metrics`)).toBe(404);
  await service?.stop();
  await expect(fetch(`${metricsUrl}/health`)).rejects.toThrow('fetch failed');
});

test('a metrics port that is taken fails the start and gives the main one back', async () => {
  const { metricsUrl } = await start({ metricsPort: '0' });
  const { port } = new URL(metricsUrl);
  const first = service;
  const taken = { port: String(await freePort()), metricsPort: port };
  await expect(start(taken)).rejects.toThrow(`cannot listen on 127.0.0.1:${port}`);
  await first?.stop();
  expect((await start(taken)).url).toBe(`http://127.0.0.1:${taken.port}`);
});

test('/status tells why there is no book and which node is asked, but not its key', async () => {
  const { url } = await start({});
  const text = await (await fetch(`${url}/status`)).text();
  const status = JSON.parse(text);
  expect(status).toMatchObject({ state: 'starting', slot: 0, genesisHash: null, markets: [] });
  expect(status).toMatchObject({ node: '127.0.0.1:1', lastAudit: null, users: 0 });
  expect(status.reason).toMatch(/\w+ \w+/);
  expect(text).not.toContain('secret');
  expect(await statusOf(`${url}/batchL2`)).toBe(503);
  expect(await statusOf(`${url}/topMakers?marketName=SOL-PERP&side=bid`)).toBe(503);
});

test('--messages-per-second is not for makers, who may send 400 messages a second', async () => {
  const key = makerKey(7);
  const quoteMakers = key.publicKey.toBase58();
  const { url } = await start({ quoteMakers, messagesPerSecond: '2' });
  const maker = await makerProbe(`${url.replace('http', 'ws')}/quotes/ws`, key);
  for (let id = 0; id < 300; id += 1) maker.send({ type: 'ping', id });
  const heard = (await maker.hear(302)) as { type?: string }[];
  expect(heard.slice(2).filter(({ type }) => type !== 'pong')).toEqual([]);
});
