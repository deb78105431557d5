import type { Timer, Timers } from '../contract/timers.js';
import { Backoff } from '../rpc/backoff.js';
import type { Log } from '../rpc/log.js';
import { NodePool, type RpcNodes } from '../rpc/node-pool.js';
import type { RpcSocketListener } from '../rpc/socket.js';
import type { FeedNode } from './model/feed-source.js';
import type { FeedCounters } from './model/feed-stats.js';
import {
  LOSS_BACKOFF_CAP_MS,
  LOSS_BACKOFF_FIRST_MS,
  LOSS_MEMORY_MS,
  LOSSES_PER_NODE,
  NODE_OPEN_CAP_MS,
  NODE_OPEN_FIRST_MS,
  NODE_READ_FAILURES_MAX,
  NODES_BACKOFF_CAP_MS,
  NODES_BACKOFF_FIRST_MS,
  SILENCE_CAP_MS,
  SILENCE_FIRST_MS,
} from './model/limits.js';

/** The events of the node in use. */
interface FailoverListener extends Omit<RpcSocketListener, 'onOpened'> {
  /** Connected to this node, without subscriptions. */
  onOpened(node: FeedNode): void;
}

/** Dependencies of the failover, which a test may replace. */
interface FailoverOptions {
  readonly nodes: RpcNodes<FeedNode>;
  readonly timers: Timers;
  readonly random: () => number;
  /** Time without a slot after which another node is used. */
  readonly staleAfterMs: number;
  readonly counters: Pick<FeedCounters, 'failovers'>;
  readonly log: Log;
}

/**
 * Chooses one node at a time: the feed stays with the node in use until it fails, even if a
 * preferred node has recovered. A node has failed when a connection to it ends or fails before the
 * book is live on it, when its snapshots fail repeatedly, and when no slot arrives over an open
 * connection. A lost live connection is retried once on the same node.
 *
 * After all nodes have failed in a row, the next attempt is delayed, longer each time. The next
 * switch is also delayed when no node has slots, because then the chain is paused and every switch
 * costs a scan.
 *
 * A single node has no alternative: its socket reconnects automatically.
 */
export class NodeFailover {
  readonly #options: FailoverOptions;
  readonly #pool: NodePool<FeedNode>;
  readonly #silence: Backoff;
  #listener: FailoverListener | null = null;
  /** Whether the book was live over the current or last connection. */
  #wasLive = false;
  #readFailures = 0;
  readonly #lossWait: Backoff;
  #losses = 0;
  #lostAtMs = Number.NEGATIVE_INFINITY;
  #silences = 0;
  #silentMsMax: number;
  #pending: Timer | null = null;

  constructor(options: FailoverOptions) {
    const { nodes, random } = options;
    this.#options = options;
    const firstMs = NODES_BACKOFF_FIRST_MS;
    const capMs = NODES_BACKOFF_CAP_MS;
    this.#pool = new NodePool({ nodes, firstMs, capMs, random });
    this.#silence = new Backoff({ firstMs: SILENCE_FIRST_MS, capMs: SILENCE_CAP_MS, random });
    const lossFirstMs = LOSS_BACKOFF_FIRST_MS;
    const lossCapMs = LOSS_BACKOFF_CAP_MS;
    this.#lossWait = new Backoff({ firstMs: lossFirstMs, capMs: lossCapMs, random });
    this.#silentMsMax = this.#nextSilenceMs();
  }

  /** The node in use, or the node that is being tried. */
  get current(): FeedNode {
    return this.#pool.current;
  }

  start(listener: FailoverListener): void {
    this.#listener = listener;
    this.#connectCurrent();
  }

  stop(): void {
    this.#listener = null;
    this.#cancelPending();
    this.current.socket.stop();
  }

  /** Ends an unusable connection. */
  dropConnection(reason: string): void {
    this.current.socket.dropConnection(reason);
  }

  /** Leaves a connected node for the next one; a single node is reconnected. */
  leaveNode(reason: string): void {
    if (this.#pool.isSingle) {
      this.dropConnection(reason);
      return;
    }
    this.#listener?.onClosed(reason);
    if (this.#listener !== null) this.#moveToNext(reason);
  }

  /** Forgets the failures of the node, because the book is live over its connection. */
  recordLive(): void {
    this.#wasLive = true;
    this.#readFailures = 0;
    this.#pool.recordSuccess();
    this.current.socket.resetBackoff();
  }

  recordSlot(): void {
    if (this.#silences === 0) return;
    this.#silences = 0;
    this.#silence.reset();
    this.#silentMsMax = this.#nextSilenceMs();
  }

  /**
   * Call this with the time without a slot over an open connection, while the book is live or
   * nearly live.
   */
  checkSilence(sinceMs: number, live: boolean): void {
    // A single node may be slow with a scan, which a reconnect would start again.
    if (sinceMs < this.#silentMsMax || (this.#pool.isSingle && !live)) return;
    this.#silences += 1;
    this.#silentMsMax = this.#nextSilenceMs();
    this.leaveNode(`no slot for ${Math.round(sinceMs)} ms`);
  }

  /** Records that a full snapshot failed; the next one is scheduled on the same connection. */
  recordReadFailure(failure: string): void {
    this.#readFailures += 1;
    if (this.#pool.isSingle || this.#readFailures < NODE_READ_FAILURES_MAX) return;
    this.leaveNode(failure);
  }

  /**
   * Records that the connection lost messages: it reconnects, and after another loss the next node
   * is used. Further losses within the same period delay the reconnect, because each costs a scan.
   */
  recordLoss(reason: string): void {
    const { timers } = this.#options;
    const nowMs = timers.nowMs();
    if (nowMs - this.#lostAtMs >= LOSS_MEMORY_MS) {
      this.#losses = 0;
      this.#lossWait.reset();
    }
    this.#lostAtMs = nowMs;
    this.#losses += 1;
    const isFirst = this.#losses % LOSSES_PER_NODE !== 0;
    const waitMs = this.#losses <= LOSSES_PER_NODE ? 0 : this.#lossWait.next();
    this.#cancelPending();
    this.#pending = timers.after(waitMs, () => {
      if (isFirst) this.dropConnection(reason);
      else this.leaveNode(reason);
    });
  }

  /** Returns whether the book may follow the node in use to the chain with this hash. */
  admitsChain(hash: string, known: string | null): boolean {
    return this.#pool.admitsChain(hash, known);
  }

  #connectCurrent(): void {
    this.#scheduleGivingUp();
    this.current.socket.start({
      onOpened: () => this.#handleOpened(),
      onClosed: (reason) => this.#handleClosed(reason),
      onMalformed: () => this.#listener?.onMalformed(),
    });
  }

  #handleOpened(): void {
    this.#cancelPending();
    this.#wasLive = false;
    this.#readFailures = 0;
    this.#listener?.onOpened(this.current);
  }

  #handleClosed(reason: string): void {
    this.#listener?.onClosed(reason);
    if (this.#pool.isSingle || this.#listener === null) return;
    if (this.#wasLive) {
      this.#wasLive = false;
      this.#scheduleGivingUp();
    } else this.#moveToNext(reason);
  }

  #moveToNext(reason: string): void {
    const { timers, counters, log } = this.#options;
    const from = this.current;
    this.#cancelPending();
    from.socket.stop();
    this.#wasLive = false;
    this.#pool.recordFailure();
    this.#pool.moveToNext();
    counters.failovers += 1;
    // The switch is not logged after a whole round, because the feed logs the failures themselves.
    if (this.#pool.roundsFailed === 0) {
      log.warn({ from: from.name, to: this.current.name, reason }, 'another node is used');
    }
    const waitMs = this.#pool.hasRoundFailed ? this.#pool.nextWaitMs() : 0;
    this.#pending = timers.after(waitMs, () => this.#connectCurrent());
  }

  /**
   * Schedules when to give up a hanging connection attempt: before the socket's own limit, and
   * later in each round.
   */
  #scheduleGivingUp(): void {
    this.#cancelPending();
    if (this.#pool.isSingle) return;
    const { timers } = this.#options;
    const limitMs = Math.min(NODE_OPEN_FIRST_MS * 2 ** this.#pool.roundsFailed, NODE_OPEN_CAP_MS);
    this.#pending = timers.after(limitMs, () => {
      this.leaveNode(`not connected within ${limitMs} ms`);
    });
  }

  #cancelPending(): void {
    this.#pending?.cancel();
    this.#pending = null;
  }

  /**
   * Returns the silence after which the next node is tried: at first as soon as the book is stale,
   * then the delay grows.
   */
  #nextSilenceMs(): number {
    const { staleAfterMs } = this.#options;
    const othersLeft = this.#silences < this.#pool.size - 1;
    return othersLeft ? staleAfterMs : Math.max(staleAfterMs, this.#silence.next());
  }
}
