/** A client in Go follows all markets by the description alone, and has the book of /l2 at the end. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeLife } from '../support/life-journal.js';
import { ModelClient } from '../support/model-client.js';
import { ServiceChild } from '../support/service-child.js';
import { rowsOf } from '../support/stream-checker.js';
import { until } from '../support/until.js';

const CHANGES = 6_000;
/** Twenty seconds, so that a client which connects late on a busy machine still hears enough. */
const CHANGES_PER_SECOND = 300;
const LEAD_MS = 4_000;
const DELTAS_MIN = 200;
const DEADLINE_MS = 120_000;
const request = { channel: 'book', market: 'SOL-PERP', depth: 50, grouping: 10 } as const;
const goModule = fileURLToPath(new URL('clients-go', import.meta.url));
/** Where Go's own packages put it, which need not be on the path. */
const GO_COMMANDS = ['go', '/usr/local/go/bin/go'];

const run = promisify(execFile);
let folder: string;
/** The built client; undefined where there is no Go. */
let client: string | undefined;
let service: ServiceChild;
/** Follows the same topic, and so knows when the last change was published. */
let witness: ModelClient;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'slotbook-clients-'));
  const journal = path.join(folder, 'life');
  const life = { seed: 6, changes: CHANGES, changesPerSecond: CHANGES_PER_SECOND };
  writeLife(journal, { ...life, leadMs: LEAD_MS });
  // The compiler takes its time, and the journal does not wait for it.
  client = await buildClient();
  service = await ServiceChild.replay(journal, [
    ...['--lagging-after-ms', '600000', '--stale-after-ms', '900000'],
  ]);
  witness = await ModelClient.open(service.socketUrl);
  await witness.follow(request);
});

afterAll(async () => {
  await witness?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function buildClient(): Promise<string | undefined> {
  const built = path.join(folder, 'clients-go');
  const env = { ...process.env, GOFLAGS: '-buildvcs=false' };
  for (const go of GO_COMMANDS) {
    const isThere = await run(go, ['version']).catch(() => null);
    if (isThere === null) continue;
    await run(go, ['build', '-o', built, '.'], { cwd: goModule, env });
    return built;
  }
  return undefined;
}

/** A topic has a heartbeat when it had no frame for a second: what changed last has gone out by then. */
async function untilAllIsPublished(): Promise<void> {
  await until(() => service.stderr.includes('replay ended'), DEADLINE_MS);
  const heartbeats = () => witness.order.filter((one) => one.startsWith('heartbeat ')).length;
  const before = heartbeats();
  await until(() => heartbeats() > before + 1, DEADLINE_MS);
}

test('a stream of all markets is followed without a fault by coder/websocket of Go', async (context) => {
  if (client === undefined) context.skip('needs go');
  const { market, depth, grouping } = request;
  const subscribe = JSON.stringify({ type: 'subscribe', id: 'go', ...request, market: '*' });
  const child = spawn(client ?? '', [service.socketUrl, subscribe, market], { stdio: 'pipe' });
  const [said, complained, ended] = [text(child.stdout), text(child.stderr), once(child, 'exit')];
  await untilAllIsPublished();
  // It reports once it has heard everything that was sent before its input ended.
  child.stdin.end();
  const [code] = await ended;
  expect([code, await complained]).toEqual([0, '']);
  const { bids, asks, faults, deltas, epoch, seq } = JSON.parse(await said);
  expect(faults).toEqual([]);
  expect(deltas).toBeGreaterThan(DELTAS_MIN);
  const query = `marketName=${market}&depth=${depth}&grouping=${grouping}`;
  const body = JSON.parse((await service.get(`/l2?${query}`)).text);
  expect(JSON.stringify([bids, asks])).toBe(rowsOf('book', body));
  expect(epoch).toBe(body.epoch);
  expect(seq).toBeLessThanOrEqual(body.seq);
  process.stdout.write(`Go: ${deltas} deltas without a fault\n`);
});
