import { Backoff } from '../rpc/backoff.js';
import type { Log } from '../rpc/log.js';
import type { Timer, Timers } from '../rpc/timers.js';
import type { FeedCounters } from './model/counters.js';
import type { FeedRpc, FeedSocket } from './model/feed-rpc.js';
import {
  NODE_OPEN_CAP_MS,
  NODE_OPEN_FIRST_MS,
  NODE_READING_FAILURES_MAX,
  NODES_BACKOFF_CAP_MS,
  NODES_BACKOFF_FIRST_MS,
  SILENCE_CAP_MS,
  SILENCE_FIRST_MS,
} from './model/limits.js';

/** One RPC node by its two doors, which are always used together. */
export interface FeedNode {
  /** Host and port: all of its address that may be shown. */
  readonly name: string;
  readonly rpc: FeedRpc;
  readonly socket: FeedSocket;
}

/** Nodes in the order of preference: the first is used while it works. */
export type FeedNodes = readonly [FeedNode, ...FeedNode[]];

/** What the feed is told of the node in use. */
export interface NodesListener {
  /** Connected to this node, with no subscription yet. */
  opened(node: FeedNode): void;
  /** The connection ended or was never made; the next try is already planned. */
  closed(reason: string): void;
  /** A message could not be read, so a notification may be missing. */
  malformed(): void;
}

/** What nodes need to know and what a test may replace. */
export interface NodesOptions {
  readonly nodes: FeedNodes;
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
  readonly #backoff: Backoff;
  readonly #silence: Backoff;
  #listener: NodesListener | null = null;
  #at = 0;
  /** The node whose chain the book is of. */
  #home: number | null = null;
  /** Whether the book was live over the connection that stands or has just ended. */
  #wasLive = false;
  #failures = 0;
  #readingFailures = 0;
  #silences = 0;
  #silentMsMax: number;
  #pending: Timer | null = null;

  constructor(options: NodesOptions) {
    const { random } = options;
    this.#options = options;
    this.#backoff = new Backoff({
      firstMs: NODES_BACKOFF_FIRST_MS,
      capMs: NODES_BACKOFF_CAP_MS,
      random,
    });
    this.#silence = new Backoff({ firstMs: SILENCE_FIRST_MS, capMs: SILENCE_CAP_MS, random });
    this.#silentMsMax = this.#nextSilence();
  }

  /** The node in use, or the one that is tried now. */
  get current(): FeedNode {
    const { nodes } = this.#options;
    return nodes[this.#at] ?? nodes[0];
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
    this.#failures = 0;
    this.#readingFailures = 0;
    this.#backoff.reset();
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
    if (sinceMs < this.#silentMsMax || (this.#isOnly && !live)) return;
    this.#silences += 1;
    this.#silentMsMax = this.#nextSilence();
    this.#leave(`no slot for ${Math.round(sinceMs)} ms`);
  }

  /** A full reading failed; the next one is planned on the same connection. */
  readingFailed(failure: string): void {
    this.#readingFailures += 1;
    if (this.#isOnly || this.#readingFailures < NODE_READING_FAILURES_MAX) return;
    this.#leave(failure);
  }

  /**
   * Whether the book may follow the node in use to the chain of this hash. Only the node whose chain
   * the book is of can change it: a chain that only another node tells of is a wrong address.
   */
  admits(hash: string, known: string | null): boolean {
    if (known === null || hash === known) this.#home = this.#at;
    return this.#home === this.#at;
  }

  get #isOnly(): boolean {
    return this.#options.nodes.length === 1;
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
    if (this.#isOnly || this.#listener === null) return;
    if (this.#wasLive) {
      this.#wasLive = false;
      this.#planGivingUp();
    } else this.#moveOn(reason);
  }

  /** Leaves a node whose connection stands; the only one is connected to anew. */
  #leave(reason: string): void {
    if (this.#isOnly) {
      this.drop(reason);
      return;
    }
    this.#listener?.closed(reason);
    if (this.#listener !== null) this.#moveOn(reason);
  }

  #moveOn(reason: string): void {
    const { nodes, timers, counters, log } = this.#options;
    const from = this.current;
    this.#cancelPending();
    from.socket.stop();
    this.#failures += 1;
    this.#wasLive = false;
    this.#at = (this.#at + 1) % nodes.length;
    counters.failovers += 1;
    // One line for each way round: when all fail, the feed's own lines tell of it.
    if (this.#failures < nodes.length) {
      log.warn({ from: from.name, to: this.current.name, reason }, 'another node is used');
    }
    const allFailed = this.#failures % nodes.length === 0;
    this.#pending = timers.after(allFailed ? this.#backoff.next() : 0, () => this.#begin());
  }

  /** A connect that hangs is given up earlier than the socket would, and later each way round. */
  #planGivingUp(): void {
    this.#cancelPending();
    if (this.#isOnly) return;
    const { nodes, timers } = this.#options;
    const round = Math.floor(this.#failures / nodes.length);
    const limitMs = Math.min(NODE_OPEN_FIRST_MS * 2 ** round, NODE_OPEN_CAP_MS);
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
    const { nodes, staleAfterMs } = this.#options;
    const othersLeft = this.#silences < nodes.length - 1;
    return othersLeft ? staleAfterMs : Math.max(staleAfterMs, this.#silence.next());
  }
}
