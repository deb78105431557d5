/** Bodies of past books: the server's requests, and their results. */
import type {
  AuctionsRequest,
  L2Request,
  L3Request,
  MatchRequest,
  TopMakersRequest,
} from './book-requests.js';
import type { MarketVersion } from './book-source.js';
import type { QueuedClient } from './fair-share.js';
import type { JournalMoment } from './journal-source.js';
import type { MarketInfo } from './markets.js';

/** A moment of the book, given by one of its coordinates. */
export interface AsOfMoment {
  /**
   * The coordinate: `slot` of the chain; `ts`, unix milliseconds; `seq`, the sequence number of the
   * requested market.
   */
  readonly by: 'slot' | 'ts' | 'seq';
  readonly value: number;
  /**
   * The epoch of the book; by default the newest epoch that contains the moment. Required for
   * `seq`.
   */
  readonly epoch?: string | undefined;
}

/** Identifies a market in every epoch of the book, unlike its id, which differs between epochs. */
export type MarketIdentity = Pick<MarketInfo, 'marketType' | 'marketIndex'>;

/** One body to render. `request.market` is an id of the present book, and is ignored. */
export type AsOfRead = { readonly key: MarketIdentity } & (
  | { readonly path: 'l2'; readonly request: L2Request }
  | { readonly path: 'l3'; readonly request: L3Request }
  | { readonly path: 'auctions'; readonly request: AuctionsRequest }
  | { readonly path: 'match'; readonly request: MatchRequest }
  | { readonly path: 'topMakers'; readonly request: TopMakersRequest }
);

/**
 * A part of a batch: a body to render, with the text to use when there was no such market; or a
 * finished text.
 */
export type AsOfPart =
  | { readonly read: AsOfRead; readonly absent: string }
  | { readonly text: string };

/** A market's liquidity over the time up to the moment of the request. */
export interface LiquidityHistoryRead {
  readonly key: MarketIdentity;
  /** Unix milliseconds. */
  readonly fromMs: number;
  /** Distance of two rows, milliseconds: a multiple of ten seconds. */
  readonly stepMs: number;
}

/** The requested bodies of one moment: one body, a batch, or the history that ends at it. */
export type AsOfBodies =
  | { readonly read: AsOfRead }
  | { readonly parts: readonly AsOfPart[] }
  | { readonly history: LiquidityHistoryRead };

/** A request for bodies of a moment. */
export interface AsOfRequest {
  readonly moment: AsOfMoment;
  readonly bodies: AsOfBodies;
}

/** The turn at whose end a body was rendered. */
export interface AsOfStamp extends JournalMoment {
  readonly epoch: string;
}

/** A finished body with its `asOf`, except for `topMakers`, which is a list. */
export interface AsOfBody {
  readonly kind: 'body';
  readonly body: Uint8Array;
  /** Equal hashes mean equal bytes. */
  readonly hash: string;
  readonly asOf: AsOfStamp;
  /** Versions of the included markets. */
  readonly versions: readonly MarketVersion[];
  /** Whether the body can no longer change; false at the newest moment of the journal. */
  readonly isFinal: boolean;
  /** Whether the history lacks segments, of which a repeated request reads more. */
  readonly isPartial?: boolean;
}

/** An error of a query as a message between threads. */
export interface RefusedQuery {
  readonly code: string;
  readonly message: string;
  /** The invalid parameter; null for none. */
  readonly param: string | null;
}

/** Why there is no body. */
export type AsOfRefusal =
  /** The journal does not contain the moment; the message contains the stored range. */
  | { readonly kind: 'notKept'; readonly message: string }
  /** The book did not have the market at that moment. */
  | { readonly kind: 'noMarket' }
  /** The core rejected the order. */
  | { readonly kind: 'refused'; readonly error: RefusedQuery }
  /** Too many requests, or a timeout. */
  | { readonly kind: 'busy'; readonly message: string };

/** The result of a request. */
export type AsOfReply = AsOfBody | AsOfRefusal;

/** Counted events of requests for past moments. */
export type AsOfEvent =
  | 'requests'
  /** Successful replies, and replies that the moment is not stored. */
  | 'bodies'
  | 'notKept'
  /** Requests refused because the queue was full, and requests that timed out. */
  | 'queueRefusals'
  | 'late'
  /**
   * Books that were restored from a checkpoint, and books that were continued from an earlier
   * request.
   */
  | 'restores'
  | 'warmHits';

/** Statistics of requests for past moments, for /metrics. */
export interface AsOfStats {
  /** Unanswered requests, and running threads. */
  readonly open: number;
  readonly threads: number;
  readonly events: Readonly<Record<AsOfEvent, number>>;
}

/** The source of past books. */
export interface AsOfSource {
  /** Renders bodies of a moment. */
  readMoment(request: AsOfRequest, of: QueuedClient): Promise<AsOfReply>;
  readStats(): AsOfStats;
}
