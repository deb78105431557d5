/**
 * Clients as they are in use, through restarts of the service: scripted ones of each class, which reconnect
 * only after a connection that ended without a close frame and never subscribe a second time, and clients
 * as their registries have them. INCUMBENTS=long makes the rolling restart longer, and adds driftpy, whose
 * packages take a minute to install.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/app/loopback-ports.js';
import { type Demo, startDemo } from '../../src/sim/demo/demo.js';
import { LibraryClient } from '../incumbents/library-client.js';
import { RealClients } from '../incumbents/real-clients.js';
import {
  BoardClient,
  MarketFeedClient,
  MultiplexClient,
  PollingClient,
  type ScriptedClient,
} from '../incumbents/scripted-clients.js';
import { UncleanReconnect } from '../incumbents/unclean-reconnect.js';
import { ServiceChild } from '../support/service-child.js';
import { until } from '../support/until.js';

const IS_LONG = process.env['INCUMBENTS'] === 'long';
const CYCLES = IS_LONG ? 10 : 2;
/** Of a machine several times as slow, the installation of packages included. */
const DEADLINE_MS = { short: 300_000, long: 1_800_000 }[IS_LONG ? 'long' : 'short'];

let folder: string;
let demo: Demo;
let port: number;
let real: RealClients;
let service: ServiceChild | undefined;
let multiplex: MultiplexClient;
let clients: Readonly<Record<string, ScriptedClient>>;
let stranger: UncleanReconnect;

beforeAll(async () => {
  real = new RealClients(IS_LONG ? ['sdk', 'ccxt', 'driftpy'] : ['sdk', 'ccxt']);
  folder = await mkdtemp(path.join(tmpdir(), 'slotbook-restarts-'));
  demo = await startDemo({ rate: 40, makers: 20, seed: 7, fillsPerSecond: 5 });
  port = await freePort();
  const [url, socketUrl] = [`http://127.0.0.1:${port}`, `ws://127.0.0.1:${port}/ws`];
  multiplex = new MultiplexClient(socketUrl);
  const market = new MarketFeedClient(socketUrl);
  clients = {
    ...{ multiplex, market, polling: new PollingClient(url), board: new BoardClient(socketUrl) },
    library: new LibraryClient(url),
    ...real.start(url),
  };
  const { unknown } = MultiplexClient;
  stranger = new UncleanReconnect(socketUrl, [{ type: 'subscribe', ...unknown }], {
    onConnected: () => {},
    onMessage: () => {},
  });
}, DEADLINE_MS);

afterAll(async () => {
  stranger?.stop();
  for (const client of Object.values(clients ?? {})) await client.stop();
  await service?.kill();
  await demo?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function startService(): Promise<ServiceChild> {
  const makers = real.makers === '' ? [] : ['--quote-makers', real.makers];
  const flags = ['--data-dir', folder, '--port', String(port), ...makers];
  service = await ServiceChild.start(demo, flags);
  return service;
}

/** Every client has all that it asked for, and what comes now comes from the service that runs now. */
async function expectServed(): Promise<void> {
  for (const client of Object.values(clients)) client.forget();
  for (const [name, client] of Object.entries(clients)) {
    const what = (): string => `${name} has not: ${client.missing()}`;
    await until(`all that ${name} asked for`, () => client.missing() === undefined).catch(() => {
      throw new Error(what());
    });
  }
}

test('clients that connect before the first live book are shown it, and hear the heartbeat', async () => {
  demo.chain.pause();
  const started = startService();
  await until(() => multiplex.connection.heartbeats > 0 && stranger.heartbeats > 0);
  const early = await fetch(`http://127.0.0.1:${port}/ready`);
  expect(early.status).toBe(503);
  demo.chain.resume();
  const running = await started;
  // What is behind a service that is ready is served: its history is open.
  for (const history of ['/trades?symbol=SOL-PERP', '/candles?symbol=SOL-PERP&resolution=1']) {
    const { status, text } = await running.get(history);
    expect([history, status], text).toEqual([history, 200]);
  }
  await expectServed();
  expect(multiplex.connection.opens).toBe(1);
  expect(stranger.lastError).toContain('UNKNOWN_MARKET');
});

test('clients come back after a SIGKILL', async () => {
  await service?.kill();
  await startService();
  await expectServed();
});

test('clients come back after a SIGTERM, each of a rolling restart', {
  timeout: DEADLINE_MS,
}, async () => {
  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    const opens = multiplex.connection.opens;
    expect(await service?.stop()).toBe(0);
    await startService();
    await expectServed();
    expect(multiplex.connection.opens).toBeGreaterThan(opens);
    await until(() => stranger.isFrozen === false && stranger.opens > cycle + 2);
  }
});

test('clients from the registries were among them', (context) => {
  if (real.absent.length > 0) context.skip(`needs the packages of ${real.absent.join(', ')}`);
  expect(Object.keys(clients)).toEqual(expect.arrayContaining(['sdk', 'ccxt']));
});
