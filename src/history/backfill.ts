/**
 * `slotbook backfill`: reads a span of older transactions into the store, from the newer end down. It
 * goes on where it was stopped, and it needs the file for itself: a service that runs has it open.
 */
import { LogDecoder } from '../engine/events.js';
import { silentLog } from '../rpc/log.js';
import { readGenesisHash } from '../rpc/methods.js';
import { createNodes, NodePool, type NodeUrls, type RpcNodes } from '../rpc/node-pool.js';
import { RateLimiter } from '../rpc/rate-limiter.js';
import { sleep, systemTimers, type Timers } from '../rpc/timers.js';
import { Job, type JobBounds } from './backfill-job.js';
import { Filler, type FillStep } from './ingest/backfiller.js';
import { Fetcher } from './ingest/fetcher.js';
import { type IngestParts, newCounters } from './ingest/parts.js';
import { Reconciler } from './ingest/reconciler.js';
import { isReadingFailure } from './ingest/rpc-results.js';
import { Seen } from './ingest/store-records.js';
import { FETCH_BURST_MS, JOB_FAILURES_MAX, RETRY_CAP_MS, RETRY_FIRST_MS } from './model/limits.js';
import type { HistoryStore } from './store/store.js';
import { Shelf } from './worker/store-manager.js';

/** What is to be read, and where to. */
export interface BackfillOptions extends JobBounds {
  readonly nodes: RpcNodes<NodeUrls>;
  readonly programId: string;
  readonly dataDir: string;
  readonly requestsPerSecond: number;
  readonly onProgress: (progress: BackfillProgress) => void;
  readonly signal: AbortSignal;
  readonly timers?: Timers;
}

/** How far it is. */
export interface BackfillProgress {
  /** Of the span of time, 0 to 1. */
  readonly share: number;
  readonly signatures: number;
  /** Trades in the file. */
  readonly trades: number;
  /** Unix seconds of the oldest transaction that was read. */
  readonly oldestTs: number | null;
  /** Why it is being tried again; null when all is well. */
  readonly trouble: string | null;
}

/**
 * Reads the span; resolves when nothing is left of it.
 *
 * # Errors
 * HistoryError when the span begins before what retention has deleted, or at a signature that the node
 * does not know; StoreError when the file cannot be opened or written, RpcError when no node gives what is asked,
 * the signal's reason when it aborts.
 */
export async function backfill(options: BackfillOptions): Promise<BackfillProgress> {
  const { dataDir, timers = systemTimers, signal } = options;
  const nodes = createNodes(options.nodes);
  const shelf = new Shelf({ folder: dataDir, marketOf: () => undefined });
  const [first] = nodes;
  const genesis = await readGenesisHash(first.rpc, { signal });
  try {
    const { store } = await shelf.open(genesis);
    return await new Backfill({ ...options, timers }, { nodes, store }).run();
  } finally {
    shelf.close();
  }
}

class Backfill {
  readonly #options: BackfillOptions & { readonly timers: Timers };
  readonly #pool: NodePool;
  readonly #store: HistoryStore;
  readonly #job: Job;
  readonly #filler: Filler;
  #signatures = 0;
  #oldestTs: number | null = null;
  #newestTs: number | null = null;

  constructor(
    options: BackfillOptions & { readonly timers: Timers },
    { nodes, store }: { readonly nodes: RpcNodes; readonly store: HistoryStore },
  ) {
    const { programId, requestsPerSecond, timers } = options;
    const decoder = new LogDecoder(programId);
    const parts: IngestParts = {
      ...{ programId, timers, log: silentLog, counters: newCounters() },
      decode: (lines) => decoder.decode(lines),
      random: Math.random,
      wallMs: () => Date.now(),
    };
    const limiter = new RateLimiter({ timers, requestsPerSecond, burstMs: FETCH_BURST_MS });
    const rpcs = nodes.map(({ rpc }) => rpc);
    const fetcher = new Fetcher(parts, limiter, rpcs);
    const seen = new Seen();
    const reconciler = new Reconciler({ parts, store, fetcher, seen, onChange: () => undefined });
    this.#options = options;
    const waits = { firstMs: RETRY_FIRST_MS, capMs: RETRY_CAP_MS, random: Math.random };
    this.#pool = new NodePool({ nodes, ...waits });
    this.#store = store;
    this.#job = new Job(store, options);
    this.#filler = new Filler({ parts, progress: this.#job, reconciler });
  }

  async run(): Promise<BackfillProgress> {
    for (;;) {
      this.#options.signal.throwIfAborted();
      const step = await this.#attempt();
      if (step === 'failed') continue;
      const progress = this.#progress(null);
      this.#options.onProgress(progress);
      if (step === 'ended') return progress;
    }
  }

  async #attempt(): Promise<'more' | 'ended' | 'failed'> {
    try {
      const step = await this.#step();
      this.#pool.recordSuccess();
      return step;
    } catch (error) {
      if (!isReadingFailure(error) || this.#options.signal.aborted) throw error;
      this.#pool.recordFailure();
      if (this.#pool.failures >= JOB_FAILURES_MAX) throw error;
      this.#options.onProgress(this.#progress(error.message));
      this.#pool.moveToNext();
      await sleep(this.#options.timers, this.#pool.nextWaitMs(), this.#options.signal);
      return 'failed';
    }
  }

  async #step(): Promise<'more' | 'ended'> {
    const { signal, timers, programId } = this.#options;
    // A file that a service has filled knows better what is gone.
    const reading = { rpc: this.#pool.current.rpc, signal, trustedAbove: Number.MAX_SAFE_INTEGER };
    if (!(await this.#job.begin(reading, programId))) return 'more';
    const span = this.#filler.next;
    if (span === null) return 'ended';
    const step = await this.#filler.step(span, reading);
    if (step.isDone) this.#count(step);
    else await sleep(timers, RETRY_FIRST_MS, signal);
    return this.#filler.next === null ? 'ended' : 'more';
  }

  #count({ signatures, oldest }: FillStep): void {
    this.#signatures += signatures;
    this.#oldestTs = oldest?.blockTime ?? this.#oldestTs;
    this.#newestTs ??= this.#oldestTs;
  }

  #progress(trouble: string | null): BackfillProgress {
    const span = this.#filler.next;
    const newest = this.#newestTs;
    const whole = newest === null || span === null ? 0 : newest - span.sinceTs;
    const done = newest === null ? 0 : newest - (this.#oldestTs ?? newest);
    const share = span === null ? 1 : Math.min(1, whole <= 0 ? 0 : done / whole);
    const { trades } = this.#store.totals();
    const signatures = this.#signatures;
    return { share, signatures, trades, oldestTs: this.#oldestTs, trouble };
  }
}
