/**
 * A client that was written from docs/streaming.md alone, in another language, agrees with the service.
 * PYTHON_SECONDS follows for longer.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type { Service } from '../../src/app/book-service.js';
import { startDemoService } from '../../src/app/start-service.js';
import { ConfigReader } from '../../src/config/config.js';
import { until } from '../support/until.js';

/** Debian's modules belong to its own Python, which need not be the first one on the path. */
const PYTHON = '/usr/bin/python3';
const READY_MS_MAX = 60_000;

const seconds = Number(process.env['PYTHON_SECONDS'] ?? 5);
const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const hasModule = spawnSync(PYTHON, ['-c', 'import websockets']).status === 0;

let service: Service | undefined;

afterAll(() => service?.stop());

async function startDemo(): Promise<string> {
  const flags = { port: '0', makers: '60', logLevel: 'silent' };
  service = await startDemoService(new ConfigReader(flags, {}).readDemo());
  const { url } = service;
  const isReady = async () => (await fetch(`${url}/ready`)).ok;
  await until(isReady, READY_MS_MAX);
  return url;
}

/** The times of the description are those of an idle machine; the long form is for one. */
const PATIENCE = seconds > 60 ? '1' : '20';

/** Runs a program; answers what it printed, and throws what it complained of. */
async function python(args: readonly string[]): Promise<unknown> {
  const env = { ...process.env, FOLLOW_PATIENCE: PATIENCE };
  const child = spawn(PYTHON, ['-B', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (out === '') throw new Error(err);
  return JSON.parse(out);
}

interface Report {
  readonly topics: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly bytes: number;
  readonly connects: number;
  readonly breaches: readonly string[];
  readonly differences: readonly string[];
}

test('a Python client finds in the kept streams what is to be found', async (context) => {
  if (!hasModule) context.skip('needs python3-websockets');
  const report = await python([pathOf('../python/vectors.py'), pathOf('../vectors/stream')]);
  expect(report).toEqual({ cases: expect.any(Number), wrong: [] });
  expect((report as { cases: number }).cases).toBeGreaterThan(20);
});

const SOURCES = { includeVamm: true, includeIndicative: true };
const TIMEOUT = { timeout: (seconds + 300) * 1_000 };

test('a Python client has the book of /l2 and /l3 while it moves', TIMEOUT, async (context) => {
  if (!hasModule) context.skip('needs python3-websockets');
  const url = await startDemo();
  const market = 'SOL-PERP';
  const wishes = [
    { channel: 'book', market, depth: 10, timing: true },
    { channel: 'book', market, depth: 500 },
    { channel: 'book', market, depth: 50, grouping: 10 },
    { channel: 'bbo', market: 'BTC-PERP' },
    { channel: 'l3', market, depth: 100 },
    { channel: 'book', market, depth: 100, ...SOURCES },
    { channel: 'bbo', market, ...SOURCES },
    { channel: 'l3', market, depth: 50, includeIndicative: true },
    { channel: 'book', market: '*', depth: 20 },
  ];
  const topics = wishes.map((wish) => JSON.stringify(wish));
  const report = (await python([
    pathOf('../python/follow.py'),
    url,
    `${seconds}`,
    ...topics,
  ])) as Report;
  const { breaches, differences, connects } = report;
  expect({ breaches, differences, connects }).toEqual({
    breaches: [],
    differences: [],
    connects: 1,
  });
  // The last wish is one topic of each of the five markets; USDC has no orders, and nothing changes there.
  const { 'book:USDC:20': usdc, ...moving } = report.topics;
  expect(usdc?.['snapshot']).toBe(1);
  const counts = Object.values(moving);
  expect(counts).toHaveLength(wishes.length - 1 + 4);
  for (const { snapshot, delta, compared } of counts) {
    expect(snapshot).toBe(1);
    expect(delta).toBeGreaterThan(seconds);
    expect(compared).toBeGreaterThan(seconds / 10);
  }
  // Levels that were compared, by their sources: only who asks is shown more than orders.
  for (const [name, { dlob = 0, vamm = 0, indicative = 0 }] of Object.entries(moving)) {
    if (!name.startsWith('book:')) continue;
    expect(dlob).toBeGreaterThan(0);
    const asked = name.endsWith(':vamm:indicative');
    expect([vamm > 0, indicative > 0], name).toEqual([asked, asked]);
  }
  if (seconds > 60) process.stdout.write(`${JSON.stringify(report)}\n`);
});
