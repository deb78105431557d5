import { Deferred } from '../contract/deferred.js';
import type { Readiness } from '../contract/feed-status.js';
import type { LoggedWrites } from '../contract/logged-writes.js';
import type { EndedTurn } from '../contract/publish-mark.js';
import type { Timer } from '../contract/timers.js';
import type { NodeRpc, RpcNodes } from '../rpc/node-pool.js';
import { type FeedParts, NO_SLOT } from './connection/parts.js';
import { FeedSession } from './connection/session.js';
import { forgetWrongSlot, slotLagOf } from './connection/slot-lag.js';
import { SlotAge } from './connection/slot-tracking.js';
import { endpointsOf, feedNodesOf, type LiveFeedOptions, newParts } from './feed-options.js';
import { FeedError, failureText, isChainClockError, isRefutedByNodes } from './model/error.js';
import { ProblemLog } from './model/error-logs.js';
import type { FeedNode } from './model/feed-source.js';
import { type FeedStats, type FeedTiming, staleReasonOf, stateOf } from './model/feed-stats.js';
import { LAGGING_AFTER_MS, STALE_AFTER_MS, WATCH_INTERVAL_MS } from './model/limits.js';
import { NodeFailover } from './node-failover.js';

/**
 * Error codes of truncated accounts: the account is valid on chain, so its state is missing as
 * after a lost message. A complete but malformed account is only excluded.
 */
const BROKEN_ON_THE_WAY: ReadonlySet<string> = new Set([
  'INVALID_KEY',
  'INVALID_BASE64',
  'INVALID_ZSTD',
  'MALFORMED_RECORD',
]);

const DEFAULT_TIMING = { laggingAfterMs: LAGGING_AFTER_MS, staleAfterMs: STALE_AFTER_MS };

/**
 * Keeps the engine's book equal to the chain: subscribes, buffers updates, reads all accounts,
 * applies newer updates, and is then live; likewise after each reconnect. The book is never `live`
 * with a gap: it is `rebuilding` until all accounts are read, and without slots it becomes
 * `lagging`, then `stale`. The feed uses one node at a time; `NodeFailover` chooses the next.
 *
 * The feed follows every market: filters are by market name, which this room does not decode.
 *
 * ```ts
 * const feed = new LiveFeed({ nodes: [node], engine, programId, onTurn: publish });
 * await feed.start();
 * ```
 */
export class LiveFeed {
  readonly #options: LiveFeedOptions;
  readonly #parts: FeedParts;
  readonly #feedNodes: RpcNodes<FeedNode>;
  readonly #nodes: NodeFailover;
  readonly #problemLog: ProblemLog;
  readonly #timing: FeedTiming;
  #session: FeedSession | null = null;
  #checkTimer: Timer | null = null;
  readonly #slotAge: SlotAge;
  #everLive = false;
  #reason: string | null = 'not connected yet';
  /** The failure of the current or last session; null after the session was live. */
  #failure: string | null = null;
  readonly #firstLive = new Deferred<void>();

  constructor(options: LiveFeedOptions) {
    this.#options = options;
    this.#timing = options.timing ?? DEFAULT_TIMING;
    this.#feedNodes = feedNodesOf(options);
    this.#parts = newParts(options, this.#feedNodes, (turn) => this.#handleTurn(turn));
    this.#problemLog = new ProblemLog(this.#parts.log);
    this.#slotAge = new SlotAge(this.#timing.laggingAfterMs);
    this.#nodes = new NodeFailover({ ...this.#parts, ...this.#timing, nodes: this.#feedNodes });
  }

  /** Starts to connect. Resolves when the book is live for the first time. */
  start(): Promise<void> {
    this.#parts.turns.changeState('rebuilding');
    this.#scheduleCheck();
    this.#nodes.start({
      onOpened: (node) => this.#handleOpened(node),
      onClosed: (reason) => this.#handleClosed(reason),
      onMalformed: () => this.readAgain(),
    });
    return this.#firstLive.promise;
  }

  /** Ends the connection, all timers and all reads. The engine keeps its last book. */
  stop(): void {
    this.#checkTimer?.cancel();
    this.#session?.close();
    this.#session = null;
    this.#parts.turns.stop();
    this.#nodes.stop();
  }

  /**
   * Requests that a turn ends soon, because something other than the chain has changed the book.
   */
  requestTurn(): void {
    this.#parts.turns.requestTurn();
  }

  /** Reads all accounts again, for the given reason, because earlier updates may be missing. */
  readAgain(reason?: string): void {
    if (this.#session !== null)
      this.#dropOnFailure(this.#session, this.#session.resyncBook(reason));
  }

  /** Call this when transactions are confirmed whose logs name these accounts. */
  recordLogged(writes: readonly LoggedWrites[]): void {
    this.#session?.recordLogged(writes);
  }

  /** The client of the node in use. */
  get rpc(): NodeRpc {
    return this.#nodes.current.rpc;
  }

  status(): Readiness {
    const state = this.#parts.turns.state ?? 'rebuilding';
    return {
      everLive: this.#everLive,
      state: this.#everLive ? state : 'starting',
      reason: state === 'live' ? null : this.#reason,
      slot: this.#parts.clock.slot,
    };
  }

  stats(): FeedStats {
    const { clock, timers, counters, memory } = this.#parts;
    const [{ genesisHash, lastAudit }, node] = [memory, this.#nodes.current.name];
    return {
      ...counters,
      slot: clock.slot,
      slotAgeMs: this.#slotAge.sinceMs(timers.nowMs()),
      unixSeconds: clock.unixSeconds(),
      slotLag: slotLagOf(this.#parts, node),
      genesisHash,
      node,
      lastAudit,
      ...this.#parts.clockSkew.stats,
      sources: this.#options.sources?.readStatus(),
    };
  }

  #handleOpened(node: FeedNode): void {
    const { clock, transientErrors } = this.#parts;
    clock.forgetSlot();
    this.#slotAge.beginConnection(this.#parts.timers.nowMs());
    this.#reason = `the accounts are being read${this.#failure === null ? '' : `, after ${this.#failure}`}`;
    transientErrors.logInfo('connected', node.name, { node: node.name });
    const session = new FeedSession(
      { ...this.#parts, ...endpointsOf(node, this.#feedNodes) },
      {
        onLive: () => this.#enterLive(session),
        onRebuilding: (reason) => this.#enterRebuilding(reason),
        onGap: (reason) => this.#dropOnFailure(session, session.resyncBook(reason)),
        onReadFailure: (error) => this.#handleReadFailure(error),
        onLoss: (reason) => this.#handleLoss(session, reason),
        onSlot: () => {
          if (this.#slotAge.recordSlot(this.#parts.timers.nowMs())) session.doubtBook();
          this.#nodes.recordSlot();
        },
        onGenesis: (hash) => this.#enterChain(hash),
      },
    );
    this.#session = session;
    this.#dropOnFailure(session, session.runUntilLive());
  }

  /** Drops a session whose work failed: its socket is cut, and a new session follows. */
  #dropOnFailure(session: FeedSession, work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (session !== this.#session) return;
      const failure = this.#recordFailure(error, 'the connection is given up');
      if (!isChainClockError(error)) {
        this.#nodes.dropConnection(failure);
        return;
      }
      // Forgetting the position lets another node decide: this node is accepted the next time
      // unless another node was in use since and refutes it.
      if (!session.isLive && !isRefutedByNodes(error)) this.#forgetChainTime();
      this.#nodes.leaveNode(failure);
    });
  }

  /** Forgets the chain's position, so that the next node is accepted unconditionally. */
  #forgetChainTime(): void {
    this.#parts.memory.newest = NO_SLOT;
    this.#parts.clock.forgetTime();
  }

  #handleReadFailure(error: unknown): void {
    const outcome = 'the accounts could not be read';
    const failure = this.#recordFailure(error, outcome);
    this.#enterRebuilding(`${outcome}: ${failure}`);
    this.#nodes.recordReadFailure(failure);
  }

  /**
   * Handles lost messages: the book is read again over a new connection, after repeated losses from
   * another node.
   */
  #handleLoss(session: FeedSession, reason: string): void {
    if (session !== this.#session) return;
    this.#session = null;
    this.#failure = reason;
    this.#parts.log.warn({ reason, node: this.#nodes.current.name }, 'messages were lost');
    this.#enterRebuilding(reason);
    this.#nodes.recordLoss(reason);
  }

  /** Logs a failure and its consequence, and stores it; returns its text. */
  #recordFailure(error: unknown, outcome: string): string {
    const failure = failureText(error);
    this.#failure = failure;
    this.#parts.transientErrors.logWarning(outcome, failure, { err: error });
    return failure;
  }

  #handleClosed(reason: string): void {
    this.#session?.close();
    this.#session = null;
    if (reason !== this.#failure) this.#failure = null;
    this.#parts.transientErrors.logWarning('connection lost', reason, { reason });
    this.#enterRebuilding(`no connection: ${reason}`);
  }

  #enterRebuilding(reason: string): void {
    this.#reason = reason;
    this.#parts.turns.changeState('rebuilding');
  }

  #enterLive(session: FeedSession): void {
    this.#nodes.recordLive();
    this.#parts.transientErrors.clear();
    this.#failure = null;
    this.#updateFreshness();
    // A replayed market may name an oracle that was not read.
    this.#dropOnFailure(session, session.followOracles());
    this.#parts.log.info({ slot: this.#parts.clock.slot }, 'the book is live');
    if (this.#everLive) return;
    this.#everLive = true;
    this.#firstLive.resolve();
    this.#options.onFirstLive?.();
  }

  #enterChain(hash: string): void {
    const { memory, clock, log } = this.#parts;
    const before = memory.genesisHash;
    if (!this.#nodes.admitsChain(hash, before)) throw otherChainError(hash, before);
    memory.genesisHash = hash;
    if (before === null || before === hash) return;
    memory.users = 0;
    memory.recentUsers.clear();
    this.#forgetChainTime();
    clock.forgetSlot();
    log.warn({ before, hash }, 'this is another chain');
    this.#parts.turns.moveBook();
    this.#options.onGenesisChanged?.(hash);
  }

  #handleTurn(turn: EndedTurn): void {
    const { problems, marketsChanged } = turn.changes;
    this.#problemLog.logProblems(problems);
    const broken = problems.filter(({ code }) => BROKEN_ON_THE_WAY.has(code));
    if (broken.length > 0 && this.#session !== null)
      this.#dropOnFailure(this.#session, this.#session.readBroken(broken));
    this.#options.journal?.endTurn(turn.mark);
    this.#options.onTurn?.(turn);
    if (marketsChanged && this.#session?.isLive === true) {
      this.#dropOnFailure(this.#session, this.#session.followOracles());
    }
  }

  #scheduleCheck(): void {
    this.#checkTimer = this.#parts.timers.after(WATCH_INTERVAL_MS, () => {
      this.#scheduleCheck();
      this.#checkSession();
    });
  }

  #checkSession(): void {
    const session = this.#session;
    if (session === null) return;
    this.#parts.clockSkew.checkSkew();
    this.#nodes.checkSilence(this.#slotAge.silentMs(this.#parts.timers.nowMs()), session.isLive);
    if (session !== this.#session) return;
    this.#dropOnFailure(session, session.checkChain());
    if (!session.isLive) return;
    this.#updateFreshness();
    if (this.#parts.turns.clockMoved()) this.#parts.turns.requestTurn();
    this.#dropOnFailure(session, session.auditIfDue());
    this.#dropOnFailure(session, session.resyncIfQuarantined());
    this.#dropOnFailure(session, session.probeIfDue());
    this.#dropOnFailure(session, session.pollClock());
  }

  #updateFreshness(): void {
    const nowMs = this.#parts.timers.nowMs();
    const isInDoubt = this.#session?.isInDoubt === true;
    const sinceMs = this.#slotAge.sinceMs(nowMs);
    const node = this.#nodes.current.name;
    forgetWrongSlot(this.#parts, node);
    const lag = slotLagOf(this.#parts, node);
    const dispute = this.#session?.dispute ?? this.#options.sources?.dispute ?? null;
    const age = { sinceMs, ageMs: this.#slotAge.ageMs(nowMs), lag, isInDoubt, dispute };
    const state = stateOf(age, this.#timing);
    this.#reason = state === 'live' ? null : staleReasonOf(age, this.#timing);
    if (this.#parts.turns.changeState(state) && state !== 'live') {
      this.#parts.log.warn({ state, reason: this.#reason }, 'the book is out of date');
    }
  }
}

function otherChainError(hash: string, known: string | null): FeedError {
  const message = `genesis hash of another node was ${hash}, must be ${known}`;
  return new FeedError('GENESIS_MISMATCH', message);
}
