/**
 * `slotbook local-cluster`: a distributed system on one machine, for experiments such as killing
 * some of its processes.
 */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Timer } from '../contract/timers.js';
import { systemTimers } from '../rpc/timers.js';
import { FEW_MARKETS } from '../sim/bytes/market-presets.js';
import { startDemo } from '../sim/demo/demo.js';
import { asError, type Service, stopAll } from './book-service.js';
import { ClusterParts, findProgram, startNats, startPostgres } from './cluster-parts.js';
import { freePort } from './loopback-ports.js';

/** Milliseconds between two lines that are written to a pipe. */
const BEAT_MS = 10_000;

/** Debian 12's path of Postgres. */
const POSTGRES_PROGRAMS = '/usr/lib/postgresql/15/bin';

/** The paths of the programs; by default those of Debian. */
export interface ClusterFlags {
  /** The NATS server's executable. */
  readonly natsServer?: string;
  /** The folder of `initdb` and `postgres`; without it there is no history. */
  readonly postgres?: string;
}

/**
 * Starts all processes and prints their addresses and ids; `stop` of the returned service ends
 * them.
 */
export async function startLocalCluster(flags: ClusterFlags): Promise<Service> {
  const program = findProgram('nats-server', flags.natsServer);
  const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-cluster-'));
  const parts = new ClusterParts();
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const stops = [() => parts.stop(), removeFolder];
  try {
    const demo = await startDemo({ presets: FEW_MARKETS });
    stops.push(() => demo.stop());
    const nats = await startNats(parts, { program, folder });
    const { postgres: programs = POSTGRES_PROGRAMS } = flags;
    const database = await startPostgres(parts, { programs, folder });
    const shared = ['--nats', nats, ...(database === null ? [] : ['--history-url', database])];
    const url = await startServices(parts, demo, shared);
    printParts(parts, { nats, database });
    process.stdout.write(`ready ${url}\n`);
    const failed = Promise.race([failureOf(demo.done), readerGone(stops)]);
    return { url, failed, stop: () => stopAll(systemTimers, stops) };
  } catch (error) {
    await stopAll(systemTimers, stops);
    throw error;
  }
}

/**
 * Resolves when the output is a pipe without a reader, which a line every ten seconds detects. Adds
 * to `stops`.
 */
function readerGone(stops: (() => void)[]): Promise<Error> {
  let timer: Timer | undefined;
  const beat = (): void => {
    timer = systemTimers.after(BEAT_MS, () => {
      process.stdout.write('running\n');
      beat();
    });
  };
  if (!process.stdout.isTTY) beat();
  stops.push(() => timer?.cancel());
  return new Promise((resolve) => {
    process.stdout.once('error', resolve);
  });
}

/** Resolves with the reason when the promise rejects. */
function failureOf(done: Promise<unknown>): Promise<Error> {
  return new Promise((resolve) => {
    done.catch((error: unknown) => resolve(asError(error)));
  });
}

/** A process of the cluster, its address, and a function that tells whether it is ready. */
interface StartedService {
  readonly url: string;
  readonly isReady: () => boolean;
}

async function startService(
  parts: ClusterParts,
  name: string,
  flags: readonly string[],
): Promise<StartedService> {
  const cli = fileURLToPath(new URL('./cli.js', import.meta.url));
  const port = await freePort();
  const args = [cli, ...flags, '--port', `${port}`];
  const { output } = parts.startPart(name, process.execPath, args, { isReplaced: true });
  const url = `http://127.0.0.1:${port}`;
  process.stdout.write(`${name} ${url}${flags[0] === 'core' ? '/status' : '/'}\n`);
  return { url, isReady: () => output().includes('ready ') };
}

/** Starts two cores, one of them active, and two edges; returns the address of the first edge. */
async function startServices(
  parts: ClusterParts,
  { rpcUrl, wsUrl, programId }: Readonly<Record<'rpcUrl' | 'wsUrl' | 'programId', string>>,
  shared: readonly string[],
): Promise<string> {
  const always = [...shared, '--program-id', programId, '--log-level', 'warn'];
  const start = (name: string, flags: readonly string[]): Promise<StartedService> =>
    startService(parts, name, [...flags, ...always]);
  const core = ['core', '--rpc-url', rpcUrl, '--ws-url', wsUrl, '--nats-replicas', '3'];
  const first = await start('core-1', core);
  await parts.waitFor('the first core', first.isReady);
  await start('core-2', core);
  const edges = [await start('edge-1', ['edge']), await start('edge-2', ['edge'])];
  for (const { isReady } of edges) await parts.waitFor('an edge', isReady);
  return edges[0]?.url ?? '';
}

function printParts(
  parts: ClusterParts,
  { nats, database }: { readonly nats: string; readonly database: string | null },
): void {
  const history = database ?? 'none: Postgres 15 is not installed';
  const processes = parts.processes.map(({ name, pid }) => `${name} ${pid}`).join(', ');
  process.stdout.write(`nats   ${nats}\ndata   ${history}\nkill   ${processes}\n`);
}
