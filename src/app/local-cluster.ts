/** `slotbook local-cluster`: a system of several machines on this one, to look at and to kill parts of. */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { FEW_MARKETS } from '../sim/bytes/market-presets.js';
import { startDemo } from '../sim/demo/demo.js';
import { asError, type Service, stopAll } from './book-service.js';
import { ClusterParts, findProgram, freePort, startNats, startPostgres } from './cluster-parts.js';

/** Where Debian 12 has Postgres. */
const POSTGRES_PROGRAMS = '/usr/lib/postgresql/15/bin';

/** Where the programs are, if not where Debian has them. */
export interface ClusterFlags {
  /** The file of the NATS server. */
  readonly natsServer?: string;
  /** The folder of `initdb` and `postgres`; without it there is no history. */
  readonly postgres?: string;
}

/** Starts all, prints the addresses and the processes, and ends what it has started. */
export async function startLocalCluster(flags: ClusterFlags): Promise<Service> {
  const program = findProgram('nats-server', flags.natsServer);
  const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-cluster-'));
  const parts = new ClusterParts();
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const stops: (() => Promise<void>)[] = [() => parts.stop(), removeFolder];
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
    const failed = new Promise<Error>((resolve) => {
      demo.done.catch((error: unknown) => resolve(asError(error)));
    });
    return { url, failed, stop: () => stopAll(stops) };
  } catch (error) {
    await stopAll(stops);
    throw error;
  }
}

/** Starts two cores, of which one writes, and two edges; returns the address of the first edge. */
async function startServices(
  parts: ClusterParts,
  { rpcUrl, wsUrl, programId }: Readonly<Record<'rpcUrl' | 'wsUrl' | 'programId', string>>,
  shared: readonly string[],
): Promise<string> {
  const cli = fileURLToPath(new URL('./cli.js', import.meta.url));
  const start = async (name: string, flags: readonly string[]) => {
    const port = await freePort();
    const args = [cli, ...flags, ...shared, '--port', `${port}`, '--log-level', 'warn'];
    const { output } = parts.startPart(name, process.execPath, [
      ...args,
      '--program-id',
      programId,
    ]);
    const url = `http://127.0.0.1:${port}`;
    const [path] = flags[0] === 'core' ? ['/status'] : ['/'];
    process.stdout.write(`${name} ${url}${path}\n`);
    return { url, isReady: () => output().includes('ready ') };
  };
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
