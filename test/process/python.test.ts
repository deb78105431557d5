/** The Python package and a reader of journals in Python. PYTHON_SECONDS follows a demo for longer. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Core, JournalWriter } from '@slotbook/core/native';
import { PublicKey } from '@solana/web3.js';
import { afterAll, expect, test } from 'vitest';
import type { Service } from '../../src/app/book-service.js';
import { startDemoService } from '../../src/app/start-service.js';
import { ConfigReader } from '../../src/config/config.js';
import { RecordBatch } from '../../src/engine/turn-records.js';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { type AccountWrite, MarketSimulator } from '../../src/sim/market/market-simulator.js';
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

/** Runs a program with the package; answers what it printed, and throws what it complained of. */
async function python(args: readonly string[]): Promise<unknown> {
  const env = { ...process.env, PYTHONPATH: pathOf('../../python'), FOLLOW_PATIENCE: PATIENCE };
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
  readonly trades: Readonly<Record<string, number>>;
  readonly candles: Readonly<Record<string, number>>;
  readonly connects: number;
  readonly repairs: readonly string[];
  readonly differences: readonly string[];
}

test('the unit tests of the Python package', { timeout: 300_000 }, (context) => {
  if (!hasModule) context.skip('needs python3-websockets');
  const cwd = pathOf('../../python');
  const args = ['-B', '-m', 'unittest', 'discover', '-s', 'tests'];
  // A test that hangs is interrupted, and its place printed.
  const limit = { timeout: 200_000, killSignal: 'SIGINT' } as const;
  const { status, stderr } = spawnSync(PYTHON, args, {
    ...{ cwd, env: { ...process.env, PYTHONPATH: cwd }, encoding: 'utf8', ...limit },
  });
  expect(stderr).toMatch(/^Ran \d\d tests/m);
  expect(status, stderr).toBe(0);
});

const SOURCES = { include_vamm: true, include_indicative: true };
const TIMEOUT = { timeout: (seconds + 300) * 1_000 };

test('the Python package has the book of /l2 and /l3 while it moves', TIMEOUT, async (context) => {
  if (!hasModule) context.skip('needs python3-websockets');
  const url = await startDemo();
  const market = 'SOL-PERP';
  const requests = [
    { channel: 'book', market, depth: 10, timing: true },
    { channel: 'book', market, depth: 500 },
    { channel: 'book', market, depth: 50, grouping: 10 },
    { channel: 'bbo', market: 'BTC-PERP' },
    { channel: 'l3', market, depth: 100 },
    { channel: 'book', market, depth: 100, ...SOURCES },
    { channel: 'bbo', market, ...SOURCES },
    { channel: 'l3', market, depth: 50, include_indicative: true },
    { channel: 'book', market: 'USDC', depth: 20 },
    { channel: 'trades', market },
    { channel: 'candles', market },
  ];
  const topics = requests.map((request) => JSON.stringify(request));
  const report = (await python([
    pathOf('../python/follow.py'),
    url,
    `${seconds}`,
    ...topics,
  ])) as Report;
  const { repairs, differences, connects, trades } = report;
  expect({ repairs, differences, connects }).toEqual({ repairs: [], differences: [], connects: 1 });
  expect(trades).toMatchObject({ init: 1, inOrder: 1, missing: 0 });
  expect(report.candles).toMatchObject({ candles: expect.any(Number) });
  // USDC has no orders, and nothing changes there: it has heartbeats alone.
  const { [topics[8] ?? '']: usdc, ...moving } = report.topics;
  expect(usdc?.['frames']).toBeGreaterThan(0);
  const counts = Object.values(moving);
  expect(counts).toHaveLength(8);
  for (const { frames, compared } of counts) {
    expect(frames).toBeGreaterThan(seconds);
    expect(compared).toBeGreaterThan(seconds / 10);
  }
  // Levels that were compared, by their sources: only who asks is shown more than orders.
  for (const [name, { dlob = 0, vamm = 0, indicative = 0 }] of Object.entries(moving)) {
    const request = JSON.parse(name);
    if (request.channel !== 'book') continue;
    expect(dlob).toBeGreaterThan(0);
    const isAsked = request.include_vamm === true;
    expect([vamm > 0, indicative > 0], name).toEqual([isAsked, isAsked]);
  }
  if (seconds > 60) process.stdout.write(`${JSON.stringify(report)}\n`);
});

test('the programs of python/README.md run as they are shown', TIMEOUT, async (context) => {
  if (!hasModule) context.skip('needs python3-websockets');
  const report = await python([pathOf('../python/readme.py'), service?.url ?? '']);
  const { follow, past } = report as Record<'follow' | 'past', readonly string[]>;
  for (const word of ['bid', 'trade'])
    expect(follow.some((line) => line.startsWith(word))).toBe(true);
  expect(past[0]).toMatch(/^then Level\(price=\d+/);
  expect(past.length).toBeGreaterThan(2);
});

const READER = pathOf('../python/journal.py');
const START = { slot: 31, unixSeconds: 1_800_000_000 };
const STEPS = 300;

const readJournal = (...args: string[]): string =>
  execFileSync(PYTHON, ['-B', READER, ...args], { encoding: 'utf8', stdio: 'pipe' });

/** The segments of a journal, and the last bytes of the accounts in it by their keys. */
function writeJournal(folder: string): {
  readonly files: string[];
  readonly last: Map<string, Buffer>;
} {
  const core = new Core(PROGRAM_ID, 'e1');
  const life = new MarketSimulator({ seed: 3, makers: 10 });
  const writer = new JournalWriter(PROGRAM_ID);
  const [log, batch, last] = [Buffer.alloc(8 << 20), new RecordBatch(), new Map<string, Buffer>()];
  const endTurn = (writes: readonly AccountWrite[], slot: number, step: number): void => {
    for (const { pubkey, owner, data } of writes) {
      batch.addAccount({ pubkey, owner, slot, data: data.toString('base64'), encoding: 'base64' });
      last.set(pubkey, Buffer.from(data));
    }
    core.setClock(slot, START.unixSeconds);
    core.endTurn(
      batch.buffer,
      batch.length,
      START.unixSeconds * 1_000 + step,
      Buffer.alloc(17_000),
    );
    batch.clear();
  };
  core.startJournal();
  endTurn(life.createGenesis(START), START.slot, 0);
  for (let step = 1; step <= STEPS; step += 1) {
    const slot = START.slot + Math.floor(step / 20);
    if (step === STEPS / 2) core.markCheckpoint();
    endTurn(life.nextWrites({ slot, unixSeconds: START.unixSeconds }), slot, step);
  }
  expect(writer.append(log.subarray(0, core.takeJournal(log)), 5)).toBeNull();
  writer.flush();
  const segments: Buffer[][] = [];
  for (let piece = writer.takePiece(); piece !== null; piece = writer.takePiece()) {
    segments[piece.segment - 1] = [...(segments[piece.segment - 1] ?? []), piece.bytes];
  }
  const files = segments.map((_, index) => path.join(folder, `${index}`));
  segments.forEach((pieces, index) => {
    writeFileSync(files[index] ?? '', Buffer.concat(pieces));
  });
  return { files, last };
}

test('a Python reader rebuilds the bytes of every account', (context) => {
  const unpacks = 'from unzstd import unpacker; unpacker()';
  const env = { ...process.env, PYTHONPATH: path.dirname(READER) };
  const canUnpack = spawnSync(PYTHON, ['-B', '-c', unpacks], { env }).status === 0;
  context.skip(!canUnpack, 'skipped: needs libzstd1, or the package zstandard of Python');
  const folder = mkdtempSync(path.join(tmpdir(), 'journal-'));
  context.onTestFinished(() => rmSync(folder, { recursive: true }));
  const { files, last } = writeJournal(folder);
  const [, second = ''] = files;
  const read = JSON.parse(readJournal(second));
  expect(read.head).toMatchObject({ createdMs: 5, epoch: 'e1', slot: 38 });
  expect(read.records).toMatchObject({ head: 1, state: 1, turnEnd: STEPS / 2 });
  const keyOf = (pubkey: string) => new PublicKey(pubkey).toBuffer().toString('hex');
  const held = [...last].filter(([pubkey]) => keyOf(pubkey) in read.accounts);
  const hashOf = (data: Buffer) => createHash('sha256').update(data).digest('hex');
  expect(Object.fromEntries(held.map(([key, data]) => [keyOf(key), hashOf(data)]))).toEqual(
    read.accounts,
  );
  expect(held.length).toBeGreaterThan(15);
  const [[pubkey = '', data] = []] = held;
  expect(readJournal(second, keyOf(pubkey)).trim()).toBe(data?.toString('base64'));
  // A loss of power leaves zeros behind what was synced; within good blocks they are damage.
  const bytes = readFileSync(second);
  writeFileSync(second, Buffer.concat([bytes, Buffer.alloc(999)]));
  expect(JSON.parse(readJournal(second))).toEqual(read);
  writeFileSync(second, bytes.fill(0, 400, 410));
  expect(() => readJournal(second)).toThrow(/the block at byte \d+ does not check/);
});
