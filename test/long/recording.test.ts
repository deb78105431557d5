/** A live run of the service, recorded beside serving, and replayed: every body is the same. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Service } from '../../src/app/book-service.js';
import { startReplayService, startService } from '../../src/app/start-service.js';
import { ConfigReader } from '../../src/config/config.js';
import { Engine } from '../../src/engine/engine.js';
import { QuoteMaker } from '../../src/sim/demo/quote-maker.js';
import { oddOrders, oddUser } from '../support/odd-accounts.js';
import { SteppedDemo } from '../support/stepped-demo.js';
import { until } from '../support/until.js';

/** Turns of the engine on either side of the lost connection; `npm run test:long` has more. */
const TURNS = Number(process.env['RECORDING_TURNS'] ?? 60);
const DEADLINE_MS = 60_000 + 20 * TURNS;
const TEST_MS_MAX = 300_000 + 200 * TURNS;
/** Of a command line that is refused before anything listens there. */
const CLUSTER = ['--rpc-url', 'http://127.0.0.1:9'];
const SOURCES = ['dlob', 'vamm', 'indicative'] as const;
/** A quote lives for a second, and ends with a turn. */
const QUOTE_MS_MAX = 1_300;
const cli = fileURLToPath(new URL('../../dist/src/app/cli.js', import.meta.url));

vi.setConfig({ testTimeout: TEST_MS_MAX });

let demo: SteppedDemo;
let folder: string;
let service: Service | undefined;
let child: ChildProcess | undefined;
/** What the books showed one after the other, at the ends of turns, and what the process said. */
let shown: string[] = [];
/** Ends of turns that were looked at. */
let turns = 0;
let said = '';
let isReplay = false;
let maker: QuoteMaker | undefined;
/** What /l3 of the first market would answer after the last turn. */
let shownLast = { status: 0, tag: '', text: '' };
/** How many bodies held levels of each source. */
let holding = { dlob: 0, vamm: 0, indicative: 0 };

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
  turns = 0;
  holding = { dlob: 0, vamm: 0, indicative: 0 };
  said = '';
  const { endTurn } = Engine.prototype;
  vi.spyOn(Engine.prototype, 'endTurn').mockImplementation(function (this: Engine, tsMs) {
    const turn = endTurn.call(this, tsMs);
    // At the end of a replay quotes are older than they ever were.
    if (!isReplay) look(this);
    return turn;
  });
  const { readJournal } = Engine.prototype;
  vi.spyOn(Engine.prototype, 'readJournal').mockImplementation(function (this: Engine, reader) {
    const step = readJournal.call(this, reader);
    if (step.kind === 'turn') look(this);
    return step;
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

/** Notes what an engine shows; turns that changed nothing are not in a journal. */
function look(engine: Engine): void {
  const hash = hashOf(engine);
  if (hash !== shown.at(-1)) shown.push(hash);
  turns += 1;
  shownLast = answerOf(engine);
}

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

/** Without compression: a compressed body has a weak tag. */
async function get(route: string): Promise<{ status: number; tag: string | null; text: string }> {
  const answer = await fetch(`${service?.url}${route}`, {
    headers: { 'accept-encoding': 'identity' },
  });
  return { status: answer.status, tag: answer.headers.get('etag'), text: await answer.text() };
}

async function isLive(): Promise<boolean> {
  return (await get('/ready')).status === 200;
}

/** Lets the life go on for so many turns of the engine. */
async function stepFor(count: number): Promise<void> {
  for (const end = turns + count; turns < end; ) await demo.step(8);
}

/** Waits until no turn has ended for a while. */
async function quiet(): Promise<void> {
  let before = -1;
  while (before !== turns) {
    before = turns;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

/** A life, accounts made by hand, one that ends, audits and a lost connection, recorded. */
async function record(to: string): Promise<void> {
  isReplay = false;
  maker = new QuoteMaker(1);
  const { rpcUrl, wsUrl } = demo.relay;
  // No slots come at the end, and what is looked at then must not change meanwhile.
  const patient = { laggingAfterMs: '30000', staleAfterMs: '60000', auditIntervalMs: '500' };
  const quoting = { quoteMakers: maker.publicKey };
  const own = { port: '0', logLevel: 'silent', history: false };
  const flags = { rpcUrl, wsUrl, ...own, ...patient, ...quoting };
  service = await startService(new ConfigReader(flags, {}).readService(), { recordTo: to });
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

async function replay(from: string, flags: Readonly<Record<string, string>> = {}): Promise<void> {
  isReplay = true;
  const settings = { port: '0', logLevel: 'silent', speed: '0', ...flags };
  service = await startReplayService(new ConfigReader(settings, {}).readReplay(), from);
}

describe('a recording made beside serving', () => {
  test('is replayed to the same bytes at every turn', async () => {
    const journal = path.join(folder, 'run');
    await record(journal);
    const live = shown;
    const last = shownLast;
    // At times more orders are before a quote than the body shows.
    for (const source of SOURCES) expect(holding[source], source).toBeGreaterThan(TURNS / 4);
    expect(new Set(live).size).toBeGreaterThan(TURNS);

    shown = [];
    await replay(journal, { laggingAfterMs: '60000', staleAfterMs: '60000' });
    await until(() => said.includes('replay ended\n'), DEADLINE_MS);
    expect(shown.length).toBe(live.length);
    expect(shown).toEqual(live);
    // And over HTTP, under the same tag.
    expect(await get('/l3?marketName=SOL-PERP')).toEqual(last);
    expect(said).toContain(`ready ${service?.url}\n`);
  });
});

test.each([
  [['replay', 'nothing-there'], 'DIR was nothing-there, must be a folder'],
  [['replay', 'package.json'], 'DIR was package.json, must be a folder'],
  [['replay', 'docs'], 'docs: there is no journal in this folder'],
  [['record', 'package.json', ...CLUSTER], 'package.json: must be a new folder, or an empty one'],
  [['record', 'docs', ...CLUSTER], 'docs: must be a new folder, or an empty one: it is not empty'],
  [['record', 'docs', ...CLUSTER, '--no-journal'], "unknown option '--no-journal'"],
  [['replay'], "missing required argument 'folder'"],
  [['replay', 'package.json', '--speed', '-1'], '--speed was -1'],
])('%j is wrong usage: it is said, and the status is 2', async (args, message) => {
  await expectRefused(args, message);
});

test('what 0.1.0 recorded is refused by its name', async () => {
  const file = path.join(folder, 'old.rec');
  await writeFile(file, 'slotbook calls\r\n\u0001\0\0\0');
  for (const args of [
    ['replay', file],
    ['verify', '--journal', file],
  ]) {
    await expectRefused(args, 'a recording of slotbook 0.1.0, which replays it: this version');
  }
});

async function expectRefused(args: readonly string[], message: string): Promise<void> {
  const started = spawn(process.execPath, [cli, ...args], { stdio: 'pipe' });
  child = started;
  let output = '';
  started.stderr.on('data', (text) => {
    output += text;
  });
  const [code] = await once(started, 'close');
  expect(output).toContain(message);
  expect(code).toBe(2);
}
