import { Backoff } from '../rpc/backoff.js';
import type { Log } from '../rpc/log.js';
import { NodePool, type RpcNode, type RpcNodes } from '../rpc/node-pool.js';
import type { Timer, Timers } from '../rpc/timers.js';
import type { FeedCounters } from './model/counters.js';
import {
  NODE_OPEN_CAP_MS,
  NODE_OPEN_FIRST_MS,
  NODE_READING_FAILURES_MAX,
  NODES_BACKOFF_CAP_MS,
  NODES_BACKOFF_FIRST_MS,
  SILENCE_CAP_MS,
  SILENCE_FIRST_MS,
} from './model/limits.js';

/** What the feed is told of the node in use. */
export interface NodesListener {
  /** Connected to this node, with no subscription yet. */
  opened(node: RpcNode): void;
  /** The connection ended or was never made; the next try is already planned. */
  closed(reason: string): void;
  /** A message could not be read, so a notification may be missing. */
  malformed(): void;
}

/** What nodes need to know and what a test may replace. */
export interface NodesOptions {
  readonly nodes: RpcNodes;
  readonly timers: Timers;
  readonly random: () => number;
  /** Without a slot for this long another node is asked. */
  readonly staleAfterMs: number;
  readonly counters: Pick<FeedCounters, 'failovers'>;
  readonly log: Log;
}

/**
 * One node at a time: the feed stays with the node in use until that one fails, whether or not a
 * node before it in the list has come back. A node has failed when a connection to it ends or is not
 * made before the book is live on it, when its readings fail again and again, and when no slot comes
 * over an open connection. A live connection that is lost is tried once more on the same node.
 *
 * When all have failed in a row the next try waits, longer each time; so does the next move when no
 * node has slots, because then the chain stands still and every move costs a scan.
 *
 * With one node there is nothing to move to: its socket reconnects by itself.
 */
export class Nodes {
  readonly #options: NodesOptions;
  readonly #pool: NodePool;
  readonly #silence: Backoff;
  #listener: NodesListener | null = null;
  /** Whether the book was live over the connection that stands or has just ended. */
  #wasLive = false;
  #readingFailures = 0;
  #silences = 0;
  #silentMsMax: number;
  #pending: Timer | null = null;

  constructor(options: NodesOptions) {
    const { nodes, random } = options;
    this.#options = options;
    const [firstMs, capMs] = [NODES_BACKOFF_FIRST_MS, NODES_BACKOFF_CAP_MS];
    this.#pool = new NodePool({ nodes, firstMs, capMs, random });
    this.#silence = new Backoff({ firstMs: SILENCE_FIRST_MS, capMs: SILENCE_CAP_MS, random });
    this.#silentMsMax = this.#nextSilence();
  }

  /** The node in use, or the one that is tried now. */
  get current(): RpcNode {
    return this.#pool.current;
  }

  start(listener: NodesListener): void {
    this.#listener = listener;
    this.#begin();
  }

  stop(): void {
    this.#listener = null;
    this.#cancelPending();
    this.current.socket.stop();
  }

  /** Ends a connection that is of no use. */
  drop(reason: string): void {
    this.current.socket.drop(reason);
  }

  /** The book is live over this connection. */
  settled(): void {
    this.#wasLive = true;
    this.#readingFailures = 0;
    this.#pool.recordSuccess();
    this.current.socket.settled();
  }

  /** A slot came: the node is not silent. */
  heard(): void {
    if (this.#silences === 0) return;
    this.#silences = 0;
    this.#silence.reset();
    this.#silentMsMax = this.#nextSilence();
  }

  /** No slot came for this long over an open connection, with the book live or about to be. */
  silent(sinceMs: number, live: boolean): void {
    // The only node may take its time over a scan; it would have to begin again.
    if (sinceMs < this.#silentMsMax || (this.#pool.isSingle && !live)) return;
    this.#silences += 1;
    this.#silentMsMax = this.#nextSilence();
    this.#leave(`no slot for ${Math.round(sinceMs)} ms`);
  }

  /** A full reading failed; the next one is planned on the same connection. */
  readingFailed(failure: string): void {
    this.#readingFailures += 1;
    if (this.#pool.isSingle || this.#readingFailures < NODE_READING_FAILURES_MAX) return;
    this.#leave(failure);
  }

  /** Whether the book may follow the node in use to the chain of this hash. */
  admitsChain(hash: string, known: string | null): boolean {
    return this.#pool.admitsChain(hash, known);
  }

  #begin(): void {
    this.#planGivingUp();
    this.current.socket.start({
      opened: () => this.#opened(),
      closed: (reason) => this.#closed(reason),
      malformed: () => this.#listener?.malformed(),
    });
  }

  #opened(): void {
    this.#cancelPending();
    this.#wasLive = false;
    this.#readingFailures = 0;
    this.#listener?.opened(this.current);
  }

  #closed(reason: string): void {
    this.#listener?.closed(reason);
    if (this.#pool.isSingle || this.#listener === null) return;
    if (this.#wasLive) {
      this.#wasLive = false;
      this.#planGivingUp();
    } else this.#moveOn(reason);
  }

  /** Leaves a node whose connection stands; the only one is connected to anew. */
  #leave(reason: string): void {
    if (this.#pool.isSingle) {
      this.drop(reason);
      return;
    }
    this.#listener?.closed(reason);
    if (this.#listener !== null) this.#moveOn(reason);
  }

  #moveOn(reason: string): void {
    const { timers, counters, log } = this.#options;
    const from = this.current;
    this.#cancelPending();
    from.socket.stop();
    this.#wasLive = false;
    this.#pool.recordFailure();
    this.#pool.moveToNext();
    counters.failovers += 1;
    // One line for each way round: when all fail, the feed's own lines tell of it.
    if (this.#pool.roundsFailed === 0) {
      log.warn({ from: from.name, to: this.current.name, reason }, 'another node is used');
    }
    const waitMs = this.#pool.hasRoundFailed ? this.#pool.nextWaitMs() : 0;
    this.#pending = timers.after(waitMs, () => this.#begin());
  }

  /** A connect that hangs is given up earlier than the socket would, and later each way round. */
  #planGivingUp(): void {
    this.#cancelPending();
    if (this.#pool.isSingle) return;
    const { timers } = this.#options;
    const limitMs = Math.min(NODE_OPEN_FIRST_MS * 2 ** this.#pool.roundsFailed, NODE_OPEN_CAP_MS);
    this.#pending = timers.after(limitMs, () => {
      this.#leave(`not connected within ${limitMs} ms`);
    });
  }

  #cancelPending(): void {
    this.#pending?.cancel();
    this.#pending = null;
  }

  /** Each other node gets its chance as soon as the book is stale; after that the wait grows. */
  #nextSilence(): number {
    const { staleAfterMs } = this.#options;
    const othersLeft = this.#silences < this.#pool.size - 1;
    return othersLeft ? staleAfterMs : Math.max(staleAfterMs, this.#silence.next());
  }
}
