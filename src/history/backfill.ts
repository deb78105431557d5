/**
 * `slotbook backfill`: reads a range of older transactions into the store, from the newer end down.
 * It resumes where it was stopped. It needs exclusive access to the file, whose lock a running
 * service holds.
 */

import type { ProgramName } from '../contract/program.js';
import type { Timers } from '../contract/timers.js';
import { LogDecoder } from '../engine/events.js';
import { silentLog } from '../rpc/log.js';
import { readGenesisHash } from '../rpc/methods.js';
import {
  createNodes,
  NodePool,
  type NodeRpc,
  type NodeUrls,
  type RpcNodes,
} from '../rpc/node-pool.js';
import { RateLimiter } from '../rpc/rate-limiter.js';
import { sleep } from '../rpc/timers.js';
import { BackfillJob, type JobBounds } from './backfill-job.js';
import { Backfiller, type BackfillStep } from './ingest/backfiller.js';
import { Fetcher } from './ingest/fetcher.js';
import { type IngestParts, newCounters } from './ingest/parts.js';
import { Reconciler } from './ingest/reconciler.js';
import { isNodeFailure } from './ingest/rpc-results.js';
import { EmptyTransactions } from './ingest/store-records.js';
import { UngivenItems } from './ingest/ungiven-items.js';
import { FETCH_BURST_MS, JOB_FAILURES_MAX, RETRY_CAP_MS, RETRY_FIRST_MS } from './model/limits.js';
import type { DatabaseSetup } from './model/messages.js';
import type { HistoryStore } from './store/store.js';
import { StoreManager } from './worker/store-manager.js';

/** The requested range, and its store. */
export interface BackfillOptions extends JobBounds {
  readonly nodes: RpcNodes<NodeUrls>;
  readonly programId: string;
  /** The program whose records it logs; by default that of its address. */
  readonly program?: ProgramName | undefined;
  readonly dataDir: string;
  /** A database instead of the folder. */
  readonly database?: DatabaseSetup | undefined;
  readonly requestsPerSecond: number;
  readonly onProgress: (progress: BackfillProgress) => void;
  readonly signal: AbortSignal;
  readonly timers: Timers;
  readonly random?: () => number;
}

/** Progress of a back-fill. */
export interface BackfillProgress {
  /** The finished share of the time range, 0 to 1. */
  readonly share: number;
  readonly signatures: number;
  readonly trades: number;
  readonly oldestTs: number | null;
  /** Signatures of transactions that no node returned, and rows of lists that could not be read. */
  readonly unavailable: readonly string[];
  /** The reason for the current retry; null without one. */
  readonly retryReason: string | null;
}

/**
 * Reads the range; resolves when the range is complete.
 *
 * # Errors
 * Rejects with a HistoryError when the range begins before the retention cutoff, or at a signature
 * that the node does not know; with a StoreError when the file cannot be opened or written, with an
 * RpcError when no node replies as needed, and with the signal's reason when it aborts.
 */
export async function backfill(options: BackfillOptions): Promise<BackfillProgress> {
  const { dataDir, programId, database, timers, random = Math.random, signal } = options;
  const nodes = createNodes(options.nodes, timers);
  const stores = new StoreManager({
    folder: dataDir,
    programId,
    database,
    timers,
    marketOf: () => undefined,
  });
  const [first] = nodes;
  const genesis = await readGenesisHash(first.rpc, { signal });
  try {
    const { store } = await stores.openStore(genesis);
    return await new Backfill({ ...options, random }, { nodes, store }).runJob();
  } finally {
    stores.close();
  }
}

type RunningBackfill = BackfillOptions & Required<Pick<BackfillOptions, 'random'>>;

class Backfill {
  readonly #options: RunningBackfill;
  readonly #pool: NodePool;
  readonly #store: HistoryStore;
  readonly #job: BackfillJob;
  readonly #backfiller: Backfiller;
  readonly #reconciler: Reconciler;
  readonly #parts: IngestParts;
  readonly #rpcs: readonly NodeRpc[];
  #signatures = 0;
  #oldestTs: number | null = null;
  #newestTs: number | null = null;

  constructor(
    options: RunningBackfill,
    { nodes, store }: { readonly nodes: RpcNodes; readonly store: HistoryStore },
  ) {
    const { programId, program, requestsPerSecond, timers, random } = options;
    const decoder = new LogDecoder(programId, program);
    const parts: IngestParts = {
      programId,
      timers,
      log: silentLog,
      counters: newCounters(),
      ungiven: new UngivenItems(timers),
      unreadable: new UngivenItems(timers),
      decode: (lines) => decoder.decode(lines),
      random,
    };
    const limiter = new RateLimiter({ timers, requestsPerSecond, burstMs: FETCH_BURST_MS });
    this.#rpcs = nodes.map(({ rpc }) => rpc);
    const fetcher = new Fetcher(parts, limiter, this.#rpcs);
    const emptyTransactions = new EmptyTransactions();
    const reconciler = new Reconciler({
      parts,
      store,
      fetcher,
      emptyTransactions,
      onChange: () => undefined,
    });
    this.#options = options;
    const waits = { firstMs: RETRY_FIRST_MS, capMs: RETRY_CAP_MS, random };
    this.#pool = new NodePool({ nodes, ...waits });
    this.#store = store;
    this.#job = new BackfillJob(store, options);
    this.#backfiller = new Backfiller({ parts, progress: this.#job, reconciler });
    this.#reconciler = reconciler;
    this.#parts = parts;
    parts.ungiven.restore(store.readProgress());
  }

  async runJob(): Promise<BackfillProgress> {
    for (;;) {
      this.#options.signal.throwIfAborted();
      const step = await this.#attemptStep();
      if (step === 'failed') continue;
      const progress = this.#progressNow(null);
      this.#options.onProgress(progress);
      if (step === 'ended') return progress;
    }
  }

  async #attemptStep(): Promise<'more' | 'ended' | 'failed'> {
    try {
      const step = await this.#runStep();
      this.#pool.recordSuccess();
      return step;
    } catch (error) {
      if (!isNodeFailure(error) || this.#options.signal.aborted) throw error;
      this.#pool.recordFailure();
      if (this.#pool.failures >= JOB_FAILURES_MAX) throw error;
      this.#options.onProgress(this.#progressNow(error.message));
      this.#pool.moveToNext();
      await sleep(this.#options.timers, this.#pool.nextWaitMs(), this.#options.signal);
      return 'failed';
    }
  }

  async #runStep(): Promise<'more' | 'ended'> {
    const { signal, timers, programId } = this.#options;
    // The gaps of a file that a service has filled are known more precisely.
    const { rpc } = this.#pool.current;
    const others = this.#rpcs.filter((other) => other !== rpc);
    const context = { rpc, others, signal, trustedAbove: Number.MAX_SAFE_INTEGER };
    if (!(await this.#job.findNewerEnd(context, programId))) return 'more';
    const gap = this.#backfiller.nextGap();
    if (gap === null) return 'ended';
    const step = await this.#backfiller.readNextPage(gap, context);
    if (step.isDone) this.#countStep(step);
    else await sleep(timers, RETRY_FIRST_MS, signal);
    if (this.#backfiller.nextGap() !== null) return 'more';
    // A node may now return a transaction that it refused hours before.
    while (await this.#reconciler.addGivenLater(context)) signal.throwIfAborted();
    return 'ended';
  }

  #countStep({ signatures, oldest }: BackfillStep): void {
    this.#signatures += signatures;
    this.#oldestTs = oldest?.blockTime ?? this.#oldestTs;
    this.#newestTs ??= this.#oldestTs;
  }

  #progressNow(retryReason: string | null): BackfillProgress {
    const gap = this.#backfiller.nextGap();
    const newest = this.#newestTs;
    const whole = newest === null || gap === null ? 0 : newest - gap.sinceTs;
    const done = newest === null ? 0 : newest - (this.#oldestTs ?? newest);
    const share = gap === null ? 1 : Math.min(1, whole <= 0 ? 0 : done / whole);
    const { trades } = this.#store.readTotals();
    const signatures = this.#signatures;
    const { ungiven, unreadable } = this.#parts;
    const unavailable = [...ungiven.keys, ...unreadable.keys];
    return { share, signatures, trades, oldestTs: this.#oldestTs, unavailable, retryReason };
  }
}
