/** The scripted chain of rows `grpc` and `merge`, its node and gRPC servers, and services on them. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { LOAD_CPU, pinned } from './cpu.mjs';
import { sameBooks } from './edge-checks.mjs';
import { EngineProcess } from './engine-process.mjs';
import { Program } from './programs.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const MAKERS = 200;
const SEED = 1;
const SERVERS = 2;
/** Time after which earlier writes have been read. */
export const SETTLED_MS = 1_500;
/** Neither an audit nor a probe is to be measured. */
const FLAGS = ['--no-history', '--audit-interval-ms', '0', '--probe-interval-ms', '0'];
/** All readers come from one address. */
const OPEN = ['--sockets-per-ip', '0', '--topics-per-ip', '0'];
/** A busy machine is no reason to say that a book is late. */
const PATIENT = ['--lagging-after-ms', '60000', '--stale-after-ms', '60000'];

/** A chain, and services on it that are ended with it. */
class Chain {
  #started = [];

  static async start(kind) {
    const chain = new Chain();
    const outfile = path.join(root, 'dist', 'bench', 'streamed-chain.mjs');
    await build({
      ...{ entryPoints: [path.join(root, 'bench', 'service', 'streamed-chain.ts')], outfile },
      ...{ bundle: true, format: 'esm', platform: 'node', target: 'node20' },
      ...{ packages: 'external', logLevel: 'warning' },
    });
    const { command, args } = pinned(LOAD_CPU, process.execPath, [outfile]);
    chain.process = new EngineProcess(command, args);
    chain.urls = await chain.process.ask(`start ${MAKERS} ${SERVERS} ${SEED} ${kind}`);
    return chain;
  }

  /** A service on these sources; without any on the node's subscriptions. */
  async serve(...sources) {
    const { rpcUrl, grpcUrls } = this.urls;
    const names = sources.map(([kind, at]) => `${kind}:${kind === 'grpc' ? grpcUrls[at] : rpcUrl}`);
    return this.serveWith(names.length > 0 ? ['--source', names.join()] : []);
  }

  /** A service with more flags. */
  async serveWith(more) {
    const { rpcUrl, wsUrl } = this.urls;
    const flags = ['--rpc-url', rpcUrl, '--ws-url', wsUrl, ...FLAGS, ...OPEN, ...PATIENT, ...more];
    const service = await Program.startServer('serve', flags);
    this.#started.push(service);
    return service;
  }

  /** Ends the load and compares all books; returns how many orders were compared. */
  async compareBooks([first, ...others]) {
    await this.process.ask('load 0');
    await sleep(SETTLED_MS);
    let checked = 0;
    for (const market of this.urls.markets) {
      for (const other of others) checked += await sameBooks(first, other, market);
    }
    if (checked === 0) throw new Error('the books that were compared were empty');
    return checked;
  }

  async stop() {
    for (const service of this.#started) await service.stop();
    await this.process.stop();
  }
}

/** Measures on a chain of its own, with gRPC servers of a kind, which is ended with all its services. */
export async function withChain(kind, measure) {
  const chain = await Chain.start(kind);
  try {
    return await measure(chain);
  } finally {
    await chain.stop();
  }
}
