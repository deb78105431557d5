/**
 * Clients in TypeScript and Python follow a demo by frames as bytes, are cut and resume, and have the books that JSON gives;
 * a decoder in Go reads the vectors. BINARY_SECONDS follows for longer.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Service } from '../../src/app/book-service.js';
import { startDemoService } from '../../src/app/start-service.js';
import { type BookView, StreamClient, strictChecks } from '../../src/client/index.js';
import { ConfigReader } from '../../src/config/config.js';
import { CutProxy } from '../support/cut-proxy.js';
import { until } from '../support/until.js';

const seconds = Number(process.env['BINARY_SECONDS'] ?? 5);
const CUTS = 3;
const READY_MS_MAX = 60_000;
/** A compiler on a busy machine has much of it. */
const TIMEOUT = { timeout: (seconds + 900) * 1_000 };
/** The times of docs/streaming.md are those of an idle machine. */
const SILENCE_MS_MAX = 60_000;
/** Debian's modules belong to its own Python, which need not be the first one on the path. */
const PYTHON = '/usr/bin/python3';
const GO = ['go', '/usr/local/go/bin/go'].find((command) => runs(command, ['version']));

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const request = { channel: 'book', market: 'SOL-PERP', depth: 20 } as const;

let service: Service;
let proxy: CutProxy;
let folder: string;

function runs(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'binary-followers-'));
  const flags = { port: '0', makers: '60', logLevel: 'silent' };
  service = await startDemoService(new ConfigReader(flags, {}).readDemo());
  await until(async () => (await fetch(`${service.url}/ready`)).ok, READY_MS_MAX);
  proxy = await CutProxy.start(service.url);
}, READY_MS_MAX);

afterAll(async () => {
  await proxy?.stop();
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Cuts all connections three times while the time goes by. */
async function cutOnTheWay(): Promise<void> {
  for (let part = 0; part <= CUTS; part += 1) {
    if (part > 0) proxy.cut();
    await new Promise((resolve) => setTimeout(resolve, (seconds * 1_000) / (CUTS + 1)));
  }
}

describe.concurrent('a follower in', () => {
  test('TypeScript, of the library', TIMEOUT, async () => {
    const faults: string[] = [];
    const books = [new Map<string, string>(), new Map<string, string>()] as const;
    const [json, binary] = books;
    const streams = books.map((kept, index) => {
      const stream = new StreamClient({
        ...{ url: proxy.url, checks: strictChecks, silenceMsMax: SILENCE_MS_MAX },
        ...{ WebSocket, encoding: index === 0 ? 'json' : 'binary' },
        onRepair: ({ message }) => faults.push(message),
      });
      stream
        .subscribe(request)
        .onUpdate((view) => kept.set(`${view.epoch} ${view.seq}`, rowsOf(view)));
      return stream;
    });
    await cutOnTheWay();
    const compared = () => [...binary.keys()].filter((number) => json.has(number));
    await until(() => compared().length > seconds);
    for (const stream of streams) stream.close();
    const differences = compared().filter((number) => json.get(number) !== binary.get(number));
    expect({ differences, faults }).toEqual({ differences: [], faults: [] });
    process.stdout.write(`TypeScript: ${compared().length} books compared, 0 differences\n`);
  });

  test('Python, all channels, against /l2 and /l3', TIMEOUT, async (context) => {
    if (!runs(PYTHON, ['-c', 'import websockets'])) context.skip('needs python3-websockets');
    const requests = [
      request,
      { ...request, depth: 500, timing: true, include_vamm: true, include_indicative: true },
      { ...request, depth: 50, grouping: 10 },
      { channel: 'bbo', market: 'BTC-PERP' },
      { channel: 'l3', market: 'SOL-PERP', depth: 100 },
      { channel: 'trades', market: 'SOL-PERP' },
      { channel: 'candles', market: 'SOL-PERP' },
    ].map((each) => JSON.stringify({ ...each, encoding: 'binary' }));
    // Cut until it ends, however long a busy machine takes to start it.
    const own = await CutProxy.start(service.url);
    const package_ = { PYTHONPATH: path.join(root, 'python'), FOLLOW_SOCKET_URL: own.url };
    const env = { ...process.env, FOLLOW_PATIENCE: '20', ...package_ };
    const args = ['-B', 'test/python/follow.py', service.url, `${seconds}`, ...requests];
    const cuts = setInterval(() => own.cut(), (seconds * 1_000) / (CUTS + 1));
    const { stdout } = await run(PYTHON, args, { cwd: root, env }).finally(() => {
      clearInterval(cuts);
      void own.stop();
    });
    process.stdout.write(`Python: ${JSON.stringify(JSON.parse(stdout))}\n`);
    const { topics, repairs, differences, connects, trades, candles } = JSON.parse(stdout);
    expect({ repairs, differences }).toEqual({ repairs: [], differences: [] });
    expect(connects).toBeGreaterThan(1);
    expect(trades).toMatchObject({ init: 1, inOrder: 1, missing: 0 });
    expect(candles.different ?? 0).toBe(0);
    const counts = Object.entries<Record<string, number>>(topics);
    expect(counts).toHaveLength(requests.length - 2);
    for (const [name, { frames, compared, breaks }] of counts) {
      expect(frames, name).toBeGreaterThan(seconds);
      expect(compared, name).toBeGreaterThan(seconds / 10);
      expect(breaks, name).toBeGreaterThan(0);
    }
  });

  test('Go reads the vectors, and refuses what is cut of them', TIMEOUT, async (context) => {
    const client = await goClient(context);
    for (const name of ['frames', 'exact']) {
      const { stdout } = await run(client, [path.join(root, `test/vectors/binary/${name}.jsonl`)]);
      const report = JSON.parse(stdout);
      expect(report).toMatchObject({ different: [], cutTaken: 0 });
      expect(report.frames).toBeGreaterThan(2);
      expect(report.spoiltRefused).toBeGreaterThan(report.spoilt / 5);
    }
    const { stdout } = await run(client, [path.join(root, 'test/vectors/binary/hostile.jsonl')]);
    const { frames, different } = JSON.parse(stdout);
    expect(different).toEqual([]);
    expect(frames).toBeGreaterThan(40);
  });
});

function rowsOf({ bids, asks }: BookView): string {
  return JSON.stringify([bids, asks], (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}

/** The Go client; it is built when it is used first. */
async function goClient(context: TestContext): Promise<string> {
  if (GO === undefined) context.skip('needs go');
  const client = path.join(folder, 'clients-go');
  const env = { ...process.env, GOFLAGS: '-buildvcs=false' };
  await run(GO ?? '', ['build', '-o', client, '.'], {
    cwd: path.join(root, 'test/clients-go'),
    env,
  });
  return client;
}
