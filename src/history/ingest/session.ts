import { Deferred } from '../../contract/deferred.js';
import type { HistoryStats } from '../../contract/history-source.js';
import { Backoff } from '../../rpc/backoff.js';
import { loggedFailure, RpcError } from '../../rpc/error.js';
import { readGenesisHash } from '../../rpc/methods.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import type { RateLimiter } from '../../rpc/rate-limiter.js';
import { sleep } from '../../rpc/timers.js';
import {
  FINAL_STALL_MS,
  FINALISED_CHECK_MS,
  LATER_FIRST_MS,
  NODE_FAILURES_MAX,
  RETRY_CAP_MS,
  RETRY_FIRST_MS,
} from '../model/limits.js';
import type { StoreChange } from '../store/types.js';
import { Backfiller } from './backfiller.js';
import { Fetcher } from './fetcher.js';
import type { LogsConnection } from './grpc-logs.js';
import { LiveQueue } from './live-queue.js';
import type { LoggedUsersBatch } from './logged-users.js';
import { subscribeToLogs } from './logs-socket.js';
import { OrphanedTransactions } from './orphans.js';
import type { IngestParts, IngestStore } from './parts.js';
import { type Gap, Progress } from './progress.js';
import { type FetchContext, Reconciler } from './reconciler.js';
import { isNodeFailure, parseSlot } from './rpc-results.js';
import type { EmptyTransactions } from './store-records.js';
import { HistoryTip } from './tip.js';

/** A node, and its source of logs. */
export interface LogNode {
  /** Host and port of the node, the part of its address that may be published. */
  readonly name: string;
  readonly rpc: NodeRpc;
  readonly socket: LogsConnection;
}

/** The dependencies of a session. */
export interface SessionOptions {
  readonly parts: IngestParts;
  readonly node: LogNode;
  /** All nodes, because another node may have a transaction that this node lacks. */
  readonly rpcs: readonly NodeRpc[];
  readonly isOnlyNode: boolean;
  readonly limiter: RateLimiter;
  readonly emptyTransactions: EmptyTransactions;
  /** Receives the users of each notified transaction. */
  readonly logged: LoggedUsersBatch;
  /** Opens the store of a chain; rejects when it cannot be opened, or when the chain is wrong. */
  readonly openStore: (genesisHash: string) => Promise<IngestStore>;
  /**
   * Returns the limits of the first gap of an empty store, given the block time of the newest
   * transaction, or null when it is unknown.
   */
  readonly firstGap: (newestTs: number | null) => Pick<Gap, 'sinceTs' | 'left'>;
  /** Called with the block time of the node's finalised slot, unix seconds. */
  readonly onBlockTime: (ts: number) => void;
  readonly onChange: (change: StoreChange) => void;
  /** Called when the history has all confirmed transactions, except for open gaps. */
  readonly onLive: () => void;
  readonly signal: AbortSignal;
}

/** Progress of a session. */
export type SessionStats = Pick<
  HistoryStats,
  'queued' | 'spansOpen' | 'finalisedSlot' | 'completeSinceTs'
>;

/**
 * One connection: subscribes, reads missed transactions, then follows the live tip and runs the
 * finalised check while gaps are filled. Notifications that arrive meanwhile are stored
 * immediately, because the store accepts records in any order.
 */
export class IngestSession {
  readonly #options: SessionOptions;
  readonly #queue: LiveQueue;
  readonly #failed = new Deferred<never>();
  #progress: Progress | null = null;
  /** The failure of the only node, whose notifications are stored all the same; null for none. */
  failure: Error | null = null;
  #wantsCatchUp = false;
  #wake: () => void = () => undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { parts, emptyTransactions, logged, onChange } = options;
    // It may fail before anything awaits it.
    this.#failed.promise.catch(() => undefined);
    this.#queue = new LiveQueue({
      parts,
      emptyTransactions,
      logged,
      onChange,
      onFailure: this.#failed.reject,
      onMalformed: () => this.catchUpSoon(),
    });
  }

  get stats(): SessionStats {
    return {
      queued: this.#queue.length,
      spansOpen: this.#progress?.gaps.length ?? 0,
      finalisedSlot: this.#progress?.tip?.slot ?? 0,
      completeSinceTs: this.#progress?.completeSinceTs ?? null,
    };
  }

  /**
   * Requests reading the confirmed signatures again, because a notification may have been missed.
   */
  catchUpSoon(): void {
    this.#wantsCatchUp = true;
    this.#wake();
  }

  /** Runs until a failure, with which it rejects; all notifications are stored by then. */
  async run(): Promise<never> {
    try {
      return await Promise.race([this.#runSteps(), this.#failed.promise]);
    } finally {
      this.#queue.close();
    }
  }

  async #runSteps(): Promise<never> {
    const { node, parts, openStore, signal } = this.#options;
    const { rpc, socket } = node;
    await subscribeToLogs(socket, parts.programId, (result) => this.#queue.addNotification(result));
    const genesis = await readGenesisHash(rpc, { signal });
    const store = await openStore(genesis);
    const params = [{ commitment: 'confirmed' }];
    const slot = await rpc.call('getSlot', params, parseSlot, { signal });
    const { tip, backfiller, reconciler } = await this.#buildParts(store);
    // Notifications may come from another server that is ahead of this node: transactions in
    // between count as missed.
    tip.setNotifiedFrom(slot);
    this.#queue.startWriting(store);
    const context: FetchContext = {
      rpc,
      others: this.#options.rpcs.filter((other) => other !== rpc),
      signal,
      get trustedAbove() {
        return tip.trustedAbove;
      },
    };
    await this.#retryFetch(tip, 1, () => tip.catchUp(context));
    const check = () => this.#retryFetch(tip, 1, () => tip.checkFinalised(context));
    // The first check of an empty store opens the first gap.
    while (!(await check()) && this.#progress?.tip === null) {
      await sleep(parts.timers, FINALISED_CHECK_MS, signal);
    }
    socket.resetBackoff();
    this.#options.onLive();
    return await Promise.race([
      this.#keepTip(tip, context),
      this.#fillGaps(backfiller, context),
      this.#tryLater(reconciler, context),
    ]);
  }

  async #buildParts(
    store: IngestStore,
  ): Promise<{ tip: HistoryTip; backfiller: Backfiller; reconciler: Reconciler }> {
    const { parts, limiter, emptyTransactions, onChange, signal, node, rpcs } = this.#options;
    const { firstGap, onBlockTime } = this.#options;
    // Writes a mark first, so that a full disk fails now, before notifications are queued for it.
    onChange(store.writeBatch({ transactions: [], progress: { opened: node.name } }));
    parts.ungiven.restore(store.readProgress());
    const progress = new Progress(store);
    this.#progress = progress;
    const fetcher = new Fetcher(parts, limiter, rpcs);
    // Each user gets its own reconciler, because each tracks its own unconfirmed transactions.
    const reconciler = () => new Reconciler({ parts, store, fetcher, emptyTransactions, onChange });
    const orphans = new OrphanedTransactions({ parts, store, progress, reconciler: reconciler() });
    const tip = new HistoryTip({
      parts,
      progress,
      reconciler: reconciler(),
      orphans,
      emptyTransactions,
      firstGap,
      onBlockTime,
    });
    await tip.checkNode(node, signal);
    const backfiller = new Backfiller({ parts, progress, reconciler: reconciler() });
    return { tip, backfiller, reconciler: reconciler() };
  }

  /** Runs the finalised check, and reads confirmed signatures again when some may be missing. */
  async #keepTip(tip: HistoryTip, context: FetchContext): Promise<never> {
    const { timers } = this.#options.parts;
    let finalSlot = 0;
    let movedAtMs = timers.nowMs();
    for (;;) {
      await this.#retryFetch(tip, NODE_FAILURES_MAX, async () => {
        if (this.#wantsCatchUp) {
          this.#wantsCatchUp = false;
          await tip.catchUp(context);
        }
        await tip.checkFinalised(context);
      });
      if (tip.finalSlot > finalSlot) movedAtMs = timers.nowMs();
      finalSlot = Math.max(finalSlot, tip.finalSlot);
      const isStalled = timers.nowMs() - movedAtMs > FINAL_STALL_MS;
      if (isStalled && !this.#options.isOnlyNode) throw stalledError(finalSlot);
      await this.#waitForCheck(FINALISED_CHECK_MS, context.signal);
    }
  }

  /**
   * Reads gaps. One whose next page is refused rests, longer each time, so that it holds up neither
   * other gaps nor the session; when the node fails as a whole, the tip ends the session.
   */
  async #fillGaps(backfiller: Backfiller, context: FetchContext): Promise<never> {
    const { timers, random } = this.#options.parts;
    const resting = new Map<number, { readonly untilMs: number; readonly backoff: Backoff }>();
    for (;;) {
      const isDue = ({ id }: Gap) => (resting.get(id)?.untilMs ?? 0) <= timers.nowMs();
      const gap = backfiller.nextGap(isDue);
      let isDone = false;
      try {
        if (gap !== null) isDone = (await backfiller.readNextPage(gap, context)).isDone;
        if (gap !== null) resting.delete(gap.id);
      } catch (error) {
        if (gap === null || !isNodeFailure(error) || context.signal.aborted) throw error;
        this.#logRefusedPage(gap, error);
        const waits = { firstMs: RETRY_FIRST_MS, capMs: LATER_FIRST_MS, random };
        const { backoff } = resting.get(gap.id) ?? { backoff: new Backoff(waits) };
        resting.set(gap.id, { untilMs: timers.nowMs() + backoff.next(), backoff });
      }
      if (!isDone) await sleep(timers, FINALISED_CHECK_MS, context.signal);
    }
  }

  #logRefusedPage({ before }: Gap, error: Error): void {
    const { counters, log } = this.#options.parts;
    counters.readingFailures += 1;
    const fields = { before: before?.signature, reason: loggedFailure(error) };
    log.info(fields, 'a page of signatures is read later');
  }

  /**
   * Retries given-up transactions in parallel with all other work, because each request may last a
   * minute.
   */
  async #tryLater(reconciler: Reconciler, context: FetchContext): Promise<never> {
    for (;;) {
      await sleep(this.#options.parts.timers, FINALISED_CHECK_MS, context.signal);
      await reconciler.addGivenLater(context);
    }
  }

  /** Retries a failed request; rejects after so many failures in a row if there are other nodes. */
  async #retryFetch<T>(tip: HistoryTip, failuresMax: number, read: () => Promise<T>): Promise<T> {
    const { parts, isOnlyNode, node, signal } = this.#options;
    const { random, counters, timers, log } = parts;
    const backoff = new Backoff({ firstMs: RETRY_FIRST_MS, capMs: RETRY_CAP_MS, random });
    for (let failures = 1; ; failures += 1) {
      try {
        // The address of the only node may lead to another one now.
        if (this.failure !== null) await tip.checkNode(node, signal);
        const result = await read();
        this.failure = null;
        return result;
      } catch (error) {
        if (!isNodeFailure(error) || signal.aborted) throw error;
        counters.readingFailures += 1;
        if (failures >= failuresMax && !isOnlyNode) throw error;
        if (this.failure === null)
          log.info({ reason: loggedFailure(error) }, 'a request of the history is tried again');
        if (failures >= failuresMax) this.failure = error;
        await sleep(timers, backoff.next(), signal);
      }
    }
  }

  /** Waits for the next check; the wait ends early when a notification may have been missed. */
  async #waitForCheck(delayMs: number, signal: AbortSignal): Promise<void> {
    if (this.#wantsCatchUp) return;
    const waking = new AbortController();
    this.#wake = () => waking.abort();
    const either = AbortSignal.any([signal, waking.signal]);
    await sleep(this.#options.parts.timers, delayMs, either).catch(() => undefined);
    this.#wake = () => undefined;
    signal.throwIfAborted();
  }
}

function stalledError(slot: number): RpcError {
  const message = `the finalised slot stood at ${slot} for ${FINAL_STALL_MS} ms`;
  return new RpcError('RPC_NODE_BEHIND', message, { slot });
}
