/** The history in Postgres: what a core writes there its edges serve, as a lone service does with its file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest';
import { kindCode } from '../../src/history/store/record-rows.js';
import { FillSender } from '../support/fill-sender.js';
import { NatsServer, natsMissing } from '../support/nats-server.js';
import { PostgresServer, postgresMissing } from '../support/postgres-server.js';
import { ServiceChild } from '../support/service-child.js';
import { SteppedDemo } from '../support/stepped-demo.js';
import { until } from '../support/until.js';

const missing = natsMissing ?? postgresMissing;
const SECRET = 'secret';

let folder: string;
let postgres: PostgresServer;
let nats: NatsServer;
let demo: SteppedDemo;
let fills: FillSender;
let url: string;
let lone: ServiceChild;
let core: ServiceChild;
let edge: ServiceChild;
let nowSeconds: number;

beforeAll(async () => {
  if (missing !== undefined) return;
  folder = mkdtempSync(path.join(tmpdir(), 'slotbook-history-'));
  postgres = await PostgresServer.start();
  nats = await NatsServer.start();
  demo = await SteppedDemo.start({ seed: 5, makers: 4, slotTimeMs: 100 });
  url = await postgres.newDatabase();
  nowSeconds = Math.floor(Date.now() / 1_000);
  let second = nowSeconds - 3_600;
  fills = await FillSender.start(demo.chain, { seed: 7, clock: () => (second += 9) });
  const log = ['--nats', nats.url, '--history-url', url];
  [lone, core] = await Promise.all([
    ServiceChild.start(demo.relay, ['--data-dir', folder]),
    ServiceChild.core(demo.relay, log),
  ]);
  edge = await ServiceChild.edge(log);
});

afterAll(async () => {
  fills?.close();
  for (const service of [edge, core, lone]) await service?.kill();
  await demo?.stop();
  await nats?.stop();
  await postgres?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

function needsServers({ skip }: TestContext): void {
  skip(missing !== undefined, missing);
}

interface Status {
  readonly history?: { readonly state: string; readonly reason: string | null };
}

async function historyOf(service: ServiceChild): Promise<Status['history']> {
  return ((await (await fetch(`${service.url}/status`)).json()) as Status).history;
}

async function textOf(service: ServiceChild, target: string): Promise<string> {
  const reply = await fetch(`${service.url}${target}`);
  return `${reply.status} ${await reply.text()}`;
}

const SYMBOLS = ['SOL-PERP', 'BTC-PERP', 'ETH-PERP', 'SOL'];

/** Paths whose bodies do not depend on the moment of the request. */
function paths(): readonly string[] {
  const [from, to] = [nowSeconds - 3_600, nowSeconds];
  return SYMBOLS.flatMap((symbol) => [
    `/trades?symbol=${symbol}&limit=1000`,
    `/candles?symbol=${symbol}&resolution=1&from=${from}&to=${to}`,
    `/candles?symbol=${symbol}&resolution=60&from=${from}&to=${to}`,
    `/fundingRates?marketName=${symbol}`,
  ]);
}

/** The edge has so many trades of all markets, and all its bodies are those of the lone service. */
async function expectSame(trades: number): Promise<void> {
  const count = async (service: ServiceChild): Promise<number> => {
    const bodies = await Promise.all(
      SYMBOLS.map((symbol) => textOf(service, `/trades?symbol=${symbol}&limit=1000`)),
    );
    return bodies.reduce((sum, body) => sum + body.split('"txSig"').length - 1, 0);
  };
  await until(async () => (await count(lone)) === trades && (await count(edge)) === trades);
  const bodies = (service: ServiceChild): Promise<readonly string[]> =>
    Promise.all(paths().map((target) => textOf(service, target)));
  await until(async () => {
    const [ours, theirs] = await Promise.all([bodies(edge), bodies(lone)]);
    return ours.join('\n') === theirs.join('\n');
  });
  expect(await bodies(edge)).toEqual(await bodies(lone));
}

test('an edge serves what its core has stored, as a lone service does', async (context) => {
  needsServers(context);
  await until(async () => (await historyOf(edge))?.state === 'live');
  const sent = await fills.send(40);
  await expectSame(sent.length);
});

test('a server that is killed and comes back loses no trade', async (context) => {
  needsServers(context);
  const before = await stored();
  await fills.send(10);
  await postgres.kill();
  await fills.send(20);
  await until(async () => (await historyOf(core))?.state === 'failing');
  await until(async () => (await historyOf(edge))?.state === 'failing');
  await fills.send(10);
  await postgres.startAgain();
  await expectSame(before + 40);
  await until(async () => (await historyOf(edge))?.state === 'live');
});

/** Trades in the database. */
async function stored(): Promise<number> {
  const database = new URL(url).pathname.slice(1);
  const trades = `select count(*)::int as count from records where kind = ${kindCode('trade')}`;
  const [row] = await postgres.run(database, trades);
  return Number(row?.['count']);
}

test('an edge of another chain serves its book, and not the history of the database', async (context) => {
  needsServers(context);
  const other = await SteppedDemo.start({ seed: 6, makers: 2, slotTimeMs: 100 });
  const log = ['--nats', nats.url, '--nats-stream', 'other'];
  const writer = await ServiceChild.core(other.relay, log);
  const reader = await ServiceChild.edge([...log, '--history-url', url]);
  try {
    await until(async () => (await historyOf(reader))?.reason?.includes('is of the chain'));
    expect(await historyOf(reader)).toMatchObject({ state: 'failing' });
    for (const target of paths()) expect(await textOf(reader, target)).toMatch(/^503 .*NOT_READY/);
    expect(await textOf(reader, `/l2?marketName=${SYMBOLS[0]}`)).toMatch(/^200 /);
    const genesisOf = async (service: ServiceChild): Promise<unknown> =>
      (JSON.parse((await service.get('/status')).text) as { genesisHash: string }).genesisHash;
    expect(await genesisOf(reader)).toBe(await genesisOf(writer));
    expect(await genesisOf(edge)).toBe(await genesisOf(lone));
  } finally {
    for (const service of [reader, writer]) await service.kill();
    await other.stop();
  }
});

test('neither status nor logs have the password', async (context) => {
  needsServers(context);
  for (const service of [core, edge]) {
    const status = await textOf(service, '/status');
    expect(status + service.stderr).not.toContain(SECRET);
  }
});
