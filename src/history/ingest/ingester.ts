import { Backoff } from '../../rpc/backoff.js';
import { loggedFailure, shownFailure } from '../../rpc/error.js';
import { NodePool, type RpcNodes } from '../../rpc/node-pool.js';
import { rejectOnAbort, sleep } from '../../rpc/timers.js';
import { HistoryError } from '../model/error.js';
import { NODES_CAP_MS, NODES_FIRST_MS, STORE_CAP_MS, STORE_FIRST_MS } from '../model/limits.js';
import { StoreError } from '../store/error.js';
import { isNodeFailure } from './rpc-results.js';
import { IngestSession, type LogNode, type SessionOptions, type SessionStats } from './session.js';

/** The dependencies of ingestion, which a test may replace. */
interface IngesterOptions
  extends Omit<SessionOptions, 'node' | 'rpcs' | 'isOnlyNode' | 'onLive' | 'signal'> {
  /** In the order of preference. */
  readonly nodes: RpcNodes<LogNode>;
  /** Called when the store cannot be opened or written. */
  readonly onStoreFailure: (error: StoreError) => void;
}

/** The state of ingestion. */
export interface IngestState {
  readonly state: 'starting' | 'backfilling' | 'live' | 'failing';
  /**
   * The reason why ingestion is not live, or while it is live, the missing data; null when there is
   * nothing to report.
   */
  readonly reason: string | null;
}

const NOTHING: SessionStats = {
  queued: 0,
  spansOpen: 0,
  finalisedSlot: 0,
  completeSinceTs: null,
};

/**
 * Runs ingestion: one session at a time, on the node in use, and on the next node when a session
 * fails before it was live. After all nodes or the store have failed, it waits with growing delays,
 * and resumes from the store.
 */
export class Ingester {
  readonly #options: IngesterOptions;
  readonly #stop = new AbortController();
  readonly #pool: NodePool<LogNode>;
  readonly #storeBackoff: Backoff;
  #running: Promise<void> = Promise.resolve();
  #session: IngestSession | null = null;
  #stats: SessionStats = NOTHING;
  #failure: string | null = null;
  /** Whether a store is open for reading. */
  #isOpen = false;
  #isLive = false;
  /** The genesis hash of the history's chain; null until it is known. */
  #genesisHash: string | null = null;
  /** The genesis hash of the book's chain; null until it is known. */
  #bookChain: string | null = null;
  #ending = new AbortController();

  constructor(options: IngesterOptions) {
    this.#options = options;
    const { random } = options.parts;
    const waits = { firstMs: NODES_FIRST_MS, capMs: NODES_CAP_MS, random };
    this.#pool = new NodePool({ nodes: options.nodes, ...waits });
    this.#storeBackoff = new Backoff({ firstMs: STORE_FIRST_MS, capMs: STORE_CAP_MS, random });
  }

  start(): void {
    this.#running = this.#runSessions().catch((error: unknown) => {
      if (!this.#stop.signal.aborted) throw error;
    });
  }

  /** Resolves when all notifications are stored. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /**
   * Sets the chain of the book, which alone is read; null for any chain. A session on another chain
   * ends.
   */
  followChain(genesisHash: string | null): void {
    if (this.#bookChain === genesisHash) return;
    this.#bookChain = genesisHash;
    const isOther = this.#genesisHash !== null && this.#genesisHash !== genesisHash;
    if (genesisHash !== null && isOther) this.#ending.abort(otherChainError());
  }

  get state(): IngestState {
    const ofNode = this.#session?.failure;
    const failure = ofNode ? shownFailure(ofNode) : this.#failure;
    if (failure !== null) return { state: 'failing', reason: failure };
    if (!this.#isOpen)
      return { state: 'starting', reason: 'the genesis hash of the chain is being read' };
    if (!this.#isLive) return { state: 'backfilling', reason: 'what was missed is being read' };
    const { spansOpen } = this.stats;
    if (spansOpen === 0) return { state: 'live', reason: this.#lackReason };
    return {
      state: 'backfilling',
      reason: `${spansOpen} gaps of older signatures are being read`,
    };
  }

  get #lackReason(): string | null {
    const { ungiven, unreadable } = this.#options.parts;
    const count = ungiven.count + unreadable.count;
    return count === 0
      ? null
      : `unavailable transactions, which are listed and no node gives: ${count}`;
  }

  get stats(): SessionStats {
    return this.#session?.stats ?? this.#stats;
  }

  async #runSessions(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const { current } = this.#pool;
      current.socket.stop();
      const error = await this.#runSession(current);
      if (this.#stop.signal.aborted) break;
      // While the store fails, the book still gets the users that logs name.
      if (!(error instanceof StoreError)) current.socket.stop();
      await this.#recoverFrom(error);
    }
    this.#pool.current.socket.stop();
  }

  /** Runs one session on a node; resolves with the error that ended it. */
  async #runSession(node: LogNode): Promise<unknown> {
    const { parts, nodes, openStore, onChange, limiter, emptyTransactions } = this.#options;
    const { logged, firstGap, onBlockTime } = this.#options;
    const ending = new AbortController();
    this.#ending = ending;
    const signal = AbortSignal.any([ending.signal, this.#stop.signal]);
    this.#isLive = false;
    try {
      await this.#openSocket(node, ending, signal);
      parts.counters.connects += 1;
      const session = new IngestSession({
        parts,
        node,
        limiter,
        emptyTransactions,
        logged,
        firstGap,
        onBlockTime,
        onChange,
        signal,
        rpcs: nodes.map(({ rpc }) => rpc),
        isOnlyNode: this.#pool.isSingle,
        openStore: async (genesisHash) => {
          this.#checkChain(genesisHash);
          const store = await openStore(genesisHash);
          this.#isOpen = true;
          return store;
        },
        onLive: () => this.#markLive(node),
      });
      this.#session = session;
      await Promise.race([session.run(), rejectOnAbort(signal)]);
      return new Error('the session ended');
    } catch (error) {
      return ending.signal.aborted ? ending.signal.reason : error;
    } finally {
      this.#stats = this.stats;
      this.#session = null;
      ending.abort();
    }
  }

  /** Resolves when the socket is open; its closing ends the session. */
  async #openSocket(node: LogNode, ending: AbortController, signal: AbortSignal): Promise<void> {
    const opened = new Promise<void>((resolve) => {
      node.socket.start({
        onOpened: resolve,
        onClosed: (reason) => ending.abort(new HistoryError('NOT_READY', `socket: ${reason}`)),
        onMalformed: () => this.#session?.catchUpSoon(),
      });
    });
    // A failed connect ends in `closed`.
    await Promise.race([opened, rejectOnAbort(signal)]);
  }

  /**
   * Checks the chain of a node. The feed of the book decides whether the nodes have switched to
   * another chain.
   */
  #checkChain(genesisHash: string): void {
    const before = this.#genesisHash;
    if (this.#bookChain !== null && this.#bookChain !== genesisHash) throw otherChainError();
    this.#genesisHash = genesisHash;
    if (before === null || before === genesisHash) return;
    this.#options.parts.log.warn({ genesisHash }, 'the history starts over on another chain');
    this.#options.emptyTransactions.clear();
    this.#options.parts.ungiven.clear();
    this.#options.parts.unreadable.clear();
  }

  #markLive(node: LogNode): void {
    if (this.#failure !== null) {
      this.#options.parts.log.info({ node: node.name }, 'the history is live again');
    }
    this.#isLive = true;
    this.#failure = null;
    this.#pool.recordSuccess();
    this.#storeBackoff.reset();
  }

  async #recoverFrom(error: unknown): Promise<void> {
    const { parts } = this.#options;
    const wasLive = this.#isLive;
    const reason = shownFailure(error);
    const isOfNode = isNodeFailure(error) || error instanceof HistoryError;
    this.#isLive = false;
    this.#pool.recordFailure();
    if (error instanceof StoreError) {
      parts.counters.storeFailures += 1;
      this.#options.onStoreFailure(error);
    } else if (!isOfNode) parts.counters.faults += 1;
    // Logs each failure once, because it may last for hours.
    if (this.#failure !== reason) {
      const fields = { node: this.#pool.current.name, reason: loggedFailure(error) };
      parts.log.warn(fields, 'the history waits');
    }
    // A lost live connection is usually restored immediately, so it is not shown as a failure.
    if (!wasLive || !isOfNode) this.#failure = reason;
    if (isOfNode && !wasLive && this.#moveToNext() && !this.#pool.hasRoundFailed) return;
    const waitMs = isOfNode ? this.#pool.nextWaitMs() : this.#storeBackoff.next();
    await sleep(this.#options.parts.timers, waitMs, this.#stop.signal).catch(() => undefined);
  }

  /** Switches to the next node; false when there is no other. */
  #moveToNext(): boolean {
    if (this.#pool.isSingle) return false;
    this.#pool.moveToNext();
    this.#options.parts.counters.failovers += 1;
    return true;
  }
}

function otherChainError(): HistoryError {
  return new HistoryError('HISTORY_CHAIN_MISMATCH', 'the node is of another chain');
}
