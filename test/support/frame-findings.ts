import type { ChainWrite } from '../scripted-chain.js';
import type { BookFollower, Delivery, ShownBook } from './book-follower.js';

/** A book as one turn of the service made it. */
export interface Version extends ShownBook {
  readonly market: string;
  readonly key: string;
  readonly state: string;
  /** By the writes of the chain; undefined until it was judged, and when it was never live. */
  verdict: 'right' | 'wrong' | undefined;
}

/** A book as a client got it. */
export interface PublishedBook {
  readonly market: string;
  readonly epoch: string;
  readonly seq: number;
  readonly slot: number;
  readonly state: string;
  readonly bids: readonly unknown[];
  readonly asks: readonly unknown[];
  readonly via: 'HTTP' | 'WebSocket';
  /** Levels a side that it was asked for. */
  readonly depth: number;
  /** When it came, on the clock of performance.now(). */
  readonly atMs: number;
}

/** What a checker saw. */
export interface Findings {
  /** Books of the service's turns that were `live`, and judged by the writes of the chain. */
  judged: number;
  wrong: number;
  /** `live`, right once, and too old. */
  old: number;
  /** Answers and frames that clients got. */
  published: number;
  /** Those that equal no book that the service made, or a wrong one. */
  publishedWrong: number;
  /** Topics of a WebSocket that did not tell of a new state in time. */
  statesMissed: number;
  /** The longest time in which a market was live and every judged book of it wrong. */
  wrongMsMax: number;
  readonly described: string[];
}

/** A chain as the checker sees it: what was written, in order. */
export interface WrittenChain {
  readonly markets: readonly { readonly name: string; readonly account: string }[];
  /** All accounts that can be in a book, with their last write. */
  lastWrites(): Iterable<ChainWrite>;
  /** All writes so far; it only grows. */
  readonly writes: readonly ChainWrite[];
  /** Where the chain is, if it knows: a `live` book is not far beyond. */
  readonly slot?: number;
}

/** What a checker may assume. */
export interface CheckerOptions extends Delivery {
  /** A `live` book may lack what happened this long ago, and not longer. */
  readonly oldMsMax: number;
  /** From a new state to the frames that tell of it. */
  readonly toldMsMax: number;
  /** The chain's clock is not this machine's, as when its process was stopped. */
  readonly secondsAreApart: boolean;
  /** A wrong book is counted, and the next one judged by the latest writes. */
  readonly forgiving: boolean;
}

/** What is wrong with a book that a client got; undefined when nothing is. */
export function problemOf(book: PublishedBook, version: Version | undefined): string | undefined {
  if (version === undefined) {
    // A new epoch names the old book until the first turn of the new chain; it is not live then.
    if (book.state !== 'live') return undefined;
    return `a ${book.via} client got a book that was never made`;
  }
  const { bids, asks } = JSON.parse(`${version.levels}}`) as PublishedBook;
  const shown = JSON.stringify([book.bids, book.asks]);
  const made = [bids.slice(0, book.depth), asks.slice(0, book.depth)];
  if (shown !== JSON.stringify(made)) return `a ${book.via} client got another book of this seq`;
  if (book.state !== 'live' || version.verdict === 'right') return undefined;
  return `a ${book.via} client got a book as live that was ${version.verdict ?? 'never live'}`;
}

/** One chain of those that a service has seen, with who follows its books. */
export interface Chapter {
  readonly chain: WrittenChain;
  endedAtMs: number;
  readonly followers: ReadonlyMap<string, BookFollower>;
  read: number;
}

/** Tells the followers what was written since. */
export function readOn(chapter: Chapter): void {
  const { writes } = chapter.chain;
  for (; chapter.read < writes.length; chapter.read += 1) {
    const write = writes[chapter.read] as ChainWrite;
    for (const follower of chapter.followers.values()) follower.add(write);
  }
}
