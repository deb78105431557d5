/** A live run of the service, recorded beside serving, and replayed: every body is the same. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Service } from '../src/app/book-service.js';
import { startReplayService, startService } from '../src/app/start-service.js';
import { ConfigReader } from '../src/config/config.js';
import * as codec from '../src/engine/codec.js';
import { Engine } from '../src/engine/engine.js';
import { RecordingReader } from '../src/feed/recording/recording-reader.js';
import { QuoteMaker } from '../src/sim/demo/quote-maker.js';
import { oddOrders, oddUser } from './support/odd-accounts.js';
import { SteppedDemo } from './support/stepped-demo.js';
import { until } from './support/until.js';

/** Turns of the engine on either side of the lost connection; `npm run test:long` has more. */
const TURNS = Number(process.env['RECORDING_TURNS'] ?? 60);
const DEADLINE_MS = 60_000 + 20 * TURNS;
const TEST_MS_MAX = 300_000 + 200 * TURNS;
/** After so many writes to its file a recording has all that was made before them. */
const WRITES = 3;
const SOURCES = ['dlob', 'vamm', 'indicative'] as const;
/** A quote lives for a second, and ends with a turn. */
const QUOTE_MS_MAX = 1_300;
const cli = fileURLToPath(new URL('../dist/src/app/cli.js', import.meta.url));

vi.setConfig({ testTimeout: TEST_MS_MAX });

let demo: SteppedDemo;
let folder: string;
let service: Service | undefined;
let child: ChildProcess | undefined;
/** What the books showed at each turn, and what the process said. */
let shown: string[] = [];
let said = '';
let maker: QuoteMaker | undefined;
/** What /l3 of the first market would answer after the last turn. */
let shownLast = { status: 0, tag: '', text: '' };
/** How many bodies held levels of each source. */
let holding = { dlob: 0, vamm: 0, indicative: 0 };
/** The time of the last turn. */
let shownMs = 0;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'slotbook-record-'));
  demo = await SteppedDemo.start({ seed: 4242, makers: 40, slotTimeMs: 200 });
});

afterAll(async () => {
  await demo?.stop();
  await rm(folder, { recursive: true });
});

beforeEach(() => {
  shown = [];
  holding = { dlob: 0, vamm: 0, indicative: 0 };
  said = '';
  const { endTurn } = Engine.prototype;
  vi.spyOn(Engine.prototype, 'endTurn').mockImplementation(function (this: Engine, tsMs) {
    const turn = endTurn.call(this, tsMs);
    shown.push(hashOf(this));
    shownLast = answerOf(this);
    shownMs = tsMs;
    return turn;
  });
  const hear = (text: unknown): boolean => {
    said += text;
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(hear);
  vi.spyOn(process.stderr, 'write').mockImplementation(hear);
});

afterEach(async () => {
  child?.kill('SIGKILL');
  maker?.stop();
  await service?.stop();
  service = undefined;
  vi.restoreAllMocks();
});

/** Everything that is shown of every market: version, and /l2 and /l3 without and with all sources. */
function hashOf(engine: Engine): string {
  const hash = createHash('sha256');
  for (const { id, symbol } of engine.markets()) {
    const { seq, slot, state } = engine.version(id);
    hash.update(`${engine.epoch} ${symbol} ${seq} ${slot} ${state}\n`);
    const l2 = { market: id, depth: 20 };
    hash.update(engine.l2(l2));
    hash.update(engine.l3({ market: id }));
    const all = Buffer.from(engine.l2({ ...l2, vamm: true, indicative: true }));
    for (const source of SOURCES) if (all.includes(`"${source}":"`)) holding[source] += 1;
    hash.update(all);
    hash.update(engine.l3({ market: id, indicative: true }));
  }
  return hash.digest('base64');
}

/** The answer to /l3 of SOL-PERP, as the engine has it. */
function answerOf(engine: Engine): typeof shownLast {
  const market = engine.findMarket('SOL-PERP')?.id;
  if (market === undefined) return { status: 0, tag: '', text: '' };
  const { seq, slot, state } = engine.version(market);
  const text = Buffer.from(engine.l3({ market })).toString();
  return { status: 200, tag: `"${engine.epoch}.${seq}.${slot}.${state}"`, text };
}

async function get(route: string): Promise<{ status: number; tag: string | null; text: string }> {
  const answer = await fetch(`${service?.url}${route}`);
  return { status: answer.status, tag: answer.headers.get('etag'), text: await answer.text() };
}

async function isLive(): Promise<boolean> {
  return (await get('/ready')).status === 200;
}

/** Lets the life go on for so many turns of the engine. */
async function stepFor(turns: number): Promise<void> {
  for (const end = shown.length + turns; shown.length < end; ) await demo.step(8);
}

/** Waits until no turn has ended for a while. */
async function quiet(): Promise<void> {
  let turns = -1;
  while (turns !== shown.length) {
    turns = shown.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

/** A life, accounts made by hand, one that ends, audits and a lost connection, recorded. */
async function record(file: string): Promise<void> {
  maker = new QuoteMaker(1);
  const { rpcUrl, wsUrl } = demo.relay;
  // No slots come at the end, and what is looked at then must not change meanwhile.
  const patient = { laggingAfterMs: '30000', staleAfterMs: '60000', auditIntervalMs: '500' };
  const quoting = { quoteMakers: maker.publicKey };
  const own = { port: '0', logLevel: 'silent', history: false };
  const flags = { rpcUrl, wsUrl, ...own, ...patient, ...quoting };
  service = await startService(new ConfigReader(flags, {}).readService(), { recordTo: file });
  await until(isLive, DEADLINE_MS);
  maker.start(service.url);
  await until(async () => {
    await demo.step(8);
    return holding.indicative > 0;
  }, DEADLINE_MS);
  await stepFor(TURNS);
  const oracle = demo.life.markets[0]?.feed.price ?? 0n;
  const odd = oddUser({ seed: 1 }, oddOrders({ clock: demo.clock, oracle }));
  await demo.write(odd);
  demo.relay.cutSessions({ downMs: 60_000 });
  await until(async () => !(await isLive()), DEADLINE_MS);
  await demo.close(odd.pubkey);
  await demo.step(40);
  demo.relay.cutSessions({ downMs: 0 });
  await until(isLive, DEADLINE_MS);
  await stepFor(TURNS);
  await until(async () => (await audits()) > 0, DEADLINE_MS);
  maker.stop();
  await new Promise((resolve) => setTimeout(resolve, QUOTE_MS_MAX));
  // The last slots and accounts arrive, and none after them.
  demo.chain.pause();
  await quiet();
  await service.stop();
  demo.chain.resume();
  service = undefined;
}

async function audits(): Promise<number> {
  const { text } = await get('/metrics');
  return Number(/event="audits"} (\d+)/.exec(text)?.[1]);
}

async function replay(file: string, flags: Readonly<Record<string, string>> = {}): Promise<void> {
  const settings = { port: '0', logLevel: 'silent', speed: '0', ...flags };
  service = await startReplayService(new ConfigReader(settings, {}).readReplay(), file);
}

describe('a recording made beside serving', () => {
  let file: string;
  let live: string[];

  test('is replayed to the same bytes at every turn', async () => {
    file = path.join(folder, 'run');
    await record(file);
    live = shown;
    const last = shownLast;
    // At times more orders are before a quote than the body shows.
    for (const source of SOURCES) expect(holding[source], source).toBeGreaterThan(TURNS / 4);
    expect(new Set(live).size).toBeGreaterThan(TURNS);

    shown = [];
    await replay(file, { laggingAfterMs: '60000', staleAfterMs: '60000' });
    await until(() => said.includes('replay ended\n'), DEADLINE_MS);
    expect(shown.length).toBe(live.length);
    expect(shown).toEqual(live);
    // And over HTTP, under the same tag.
    expect(await get('/l3?marketName=SOL-PERP')).toEqual(last);
    expect(said).toContain(`ready ${service?.url}\n`);
  });

  test('is replayed at its own pace, times the speed', async () => {
    const { length } = live;
    const startMs = performance.now();
    await replay(file, { speed: '4' });
    await until(() => said.includes('replay ended\n'), DEADLINE_MS);
    const tookMs = performance.now() - startMs;
    const recordedMs = await spanOf(file);
    expect(tookMs).toBeGreaterThanOrEqual(recordedMs / 4);
    expect(shown.slice(0, length)).toEqual(live);
  });

  test('that is cut anywhere is replayed up to there', async () => {
    const whole = await readFile(file);
    const cutFile = path.join(folder, 'cut');
    for (const share of [0.3, 0.6, 0.9, 0.999]) {
      shown = [];
      said = '';
      const cut = Math.floor(whole.length * share);
      await writeFile(cutFile, whole.subarray(0, cut));
      await replay(cutFile, { laggingAfterMs: '60000', staleAfterMs: '60000' });
      await until(() => said.includes('replay ended'), DEADLINE_MS);
      const tornAt = Number(/torn at byte (\d+)/.exec(said)?.[1]);
      expect(tornAt).toBeLessThanOrEqual(cut);
      expect(tornAt).toBeGreaterThan(cut - 200_000);
      expect(shown).toEqual(live.slice(0, shown.length));
      expect(shown.length).toBeGreaterThan(0);
      await service?.stop();
    }
  });

  test('that was changed ends the replay with the place, after what was before it', async () => {
    const wrong = await readFile(file);
    const at = Math.floor(wrong.length / 2);
    wrong.writeUInt8(wrong.readUInt8(at) ^ 0xff, at);
    const wrongFile = path.join(folder, 'wrong');
    await writeFile(wrongFile, wrong);
    await replay(wrongFile);
    const failure = await service?.failed;
    expect(failure).toMatchObject({ code: expect.stringMatching(/^(RECORDING|MALFORMED)_/) });
    expect(String(failure)).toMatch(/at byte \d+ of the recording/);
    expect(shown).toEqual(live.slice(0, shown.length));
    expect((await get('/l2?marketName=SOL-PERP')).status).toBeLessThan(504);
  });
});

/** From the first to the last turn of a recording, in milliseconds. */
async function spanOf(file: string): Promise<number> {
  const reader = await RecordingReader.open(file, codec);
  const times: number[] = [];
  for (let calls = await reader.readCalls(); calls !== null; calls = await reader.readCalls()) {
    for (const { call, atMs } of calls) if (call.name === 'endTurn') times.push(atMs);
  }
  await reader.close();
  return (times.at(-1) ?? 0) - (times[0] ?? 0);
}

/** Starts `slotbook record` on the chain, and resolves once its book is live. */
async function recordingChild(file: string, wrap: readonly string[] = []) {
  const { rpcUrl, wsUrl } = demo.relay;
  const flags = ['--rpc-url', rpcUrl, '--ws-url', wsUrl, '--port', '0', '--log-level', 'warn'];
  const [command = '', ...args] = [...wrap, process.execPath, cli, 'record', file, ...flags];
  const started = spawn(command, args, { stdio: 'pipe' });
  child = started;
  const output = { text: '', url: '' };
  for (const stream of [started.stdout, started.stderr]) {
    stream.on('data', (text) => {
      output.text += text;
    });
  }
  await until(() => output.text.includes('ready '), DEADLINE_MS);
  output.url = /^ready (\S+)$/m.exec(output.text)?.[1] ?? '';
  return { output, started };
}

test('a disk that is full ends the recording, and the book stays live', async () => {
  const file = path.join(folder, 'full');
  const limited = ['sh', '-c', 'ulimit -f 24; exec "$@"', 'sh'];
  const { output } = await recordingChild(file, limited);
  await until(async () => {
    await demo.step(20);
    return output.text.includes('recording has failed: the file ends here');
  }, DEADLINE_MS);
  await vi.waitFor(async () => {
    const metrics = await (await fetch(`${output.url}/metrics`)).text();
    expect(metrics).toContain('slotbook_feed_events_total{event="recordingFailures"} 1');
    expect((await fetch(`${output.url}/ready`)).status).toBe(200);
  }, DEADLINE_MS);
  await replay(file);
  await until(() => said.includes('replay ended: the recording is torn at byte'), DEADLINE_MS);
});

test.each([
  [['replay', 'nothing-there'], 'RECORDING_READ_FAILED'],
  [
    ['replay', 'package.json'],
    'MALFORMED_RECORDING: the file is not a recording (at byte 0 of the recording)',
  ],
  [['record', 'package.json', '--rpc-url', 'http://127.0.0.1:9'], 'RECORDING_WRITE_FAILED'],
  [['replay'], "missing required argument 'file'"],
  [['replay', 'package.json', '--speed', '-1'], '--speed was -1'],
])('%j is wrong usage: it is said, and the status is 2', async (args, message) => {
  const started = spawn(process.execPath, [cli, ...args, '--port', '0'], { stdio: 'pipe' });
  child = started;
  let output = '';
  started.stderr.on('data', (text) => {
    output += text;
  });
  const [code] = await once(started, 'close');
  expect(code).toBe(2);
  expect(output).toContain(message);
});

test('a process that is killed leaves a recording of all but its last moments', async () => {
  const file = path.join(folder, 'killed');
  const { started } = await recordingChild(file);
  const { size } = await stat(file);
  while ((await stat(file)).size < size + 20_000) await demo.step(20);
  // The file grows by all that has been made so far; at first by what was under way before.
  const madeMs = Date.now();
  for (let writes = 0; writes < WRITES; writes += 1) {
    const { size: written } = await stat(file);
    while ((await stat(file)).size === written) await demo.step(5);
  }
  started.kill('SIGKILL');
  await once(started, 'exit');

  await replay(file, { laggingAfterMs: '60000', staleAfterMs: '60000' });
  await until(() => said.includes('replay ended'), DEADLINE_MS);
  expect(await isLive()).toBe(true);
  expect(shownMs).toBeGreaterThan(madeMs);
});

test('after its end a replay is served on, and says that it is stale', async () => {
  await replay(path.join(folder, 'run'), { laggingAfterMs: '100', staleAfterMs: '200' });
  await until(() => said.includes('replay ended\n'), DEADLINE_MS);
  const book = async () => JSON.parse((await get('/l2?marketName=SOL-PERP')).text);
  const { ts, seq, state, ...last } = await book();
  await until(async () => (await book()).state === 'stale', DEADLINE_MS);
  expect(await book()).toMatchObject(last);
  const ready = await get('/ready');
  expect(ready.status).toBe(503);
  expect(ready.text).toContain('the recording has ended');
});
