/** Bodies of the book as it was: what the server asks, and what it gets. */
import type {
  AuctionsRequest,
  L2Request,
  L3Request,
  MatchRequest,
  TopMakersRequest,
} from './book-requests.js';
import type { MarketVersion } from './book-source.js';
import type { JournalMoment } from './journal-source.js';
import type { MarketInfo } from './markets.js';

/** A moment of the book by one of its measures. */
export interface AsOfMoment {
  /** `slot` of the chain; `ts`, unix milliseconds; `seq`, the sequence number of the market that is read. */
  readonly by: 'slot' | 'ts' | 'seq';
  readonly value: number;
  /** The run of the book that is meant; left out for the newest that has the moment. Given with a `seq`. */
  readonly epoch?: string | undefined;
}

/** What names a market in every run of the book; its id is another one in each. */
export type MarketKey = Pick<MarketInfo, 'marketType' | 'marketIndex'>;

/** One body to make. The request's own `market` is that of the present book, and is not read. */
export type AsOfRead = { readonly key: MarketKey } & (
  | { readonly path: 'l2'; readonly request: L2Request }
  | { readonly path: 'l3'; readonly request: L3Request }
  | { readonly path: 'auctions'; readonly request: AuctionsRequest }
  | { readonly path: 'match'; readonly request: MatchRequest }
  | { readonly path: 'topMakers'; readonly request: TopMakersRequest }
);

/** A part of a batch: a body to make, with what stands in its place without the market; or a finished text. */
export type AsOfPart =
  | { readonly read: AsOfRead; readonly absent: string }
  | { readonly text: string };

/** What is asked of one moment: one body, or those of a batch. */
export type AsOfBodies = { readonly read: AsOfRead } | { readonly parts: readonly AsOfPart[] };

/** A request for bodies of a moment. */
export interface AsOfRequest {
  readonly moment: AsOfMoment;
  readonly bodies: AsOfBodies;
}

/** The turn whose end a body shows. */
export interface AsOfStamp extends JournalMoment {
  readonly epoch: string;
}

/** A finished body with its `asOf`, but that of `topMakers`, which is a list. */
export interface AsOfBody {
  readonly kind: 'body';
  readonly body: Uint8Array;
  /** Equal for equal bytes. */
  readonly hash: string;
  readonly asOf: AsOfStamp;
  /** Of the markets that are in it. */
  readonly versions: readonly MarketVersion[];
  /** Whether nothing that happens later changes it: false at the newest moment of the journal. */
  readonly isFinal: boolean;
}

/** Why there is no body. */
export type AsOfRefusal =
  /** The moment is outside of the journal; the message names what is kept. */
  | { readonly kind: 'notKept'; readonly message: string }
  /** The book had no such market then. */
  | { readonly kind: 'noMarket' }
  /** The order could not be placed, as the core says. */
  | {
      readonly kind: 'refused';
      readonly error: {
        readonly code: string;
        readonly message: string;
        readonly param: string | null;
      };
    }
  /** Too much is asked at once, or this took too long. */
  | { readonly kind: 'busy'; readonly message: string };

/** What comes of a request. */
export type AsOfReply = AsOfBody | AsOfRefusal;

/** What is counted of the requests for past moments. */
export type AsOfEvent =
  | 'requests'
  /** Replies with the book of the moment; that it is not kept. */
  | 'bodies'
  | 'notKept'
  /** Requests beyond the limit on those that wait; that had no book in time. */
  | 'queueRefusals'
  | 'late'
  /** Books that were restored from a checkpoint; that went on from the moment of an earlier request. */
  | 'restores'
  | 'warmHits';

/** How requests for past moments do, for /metrics. */
export interface AsOfStats {
  /** Requests that have no reply yet, and threads that run. */
  readonly open: number;
  readonly threads: number;
  readonly events: Readonly<Record<AsOfEvent, number>>;
}

/** The book of any moment that is kept. */
export interface AsOfSource {
  /** Makes bodies of a moment; `isGone` is whether the client has left, whose request then ends. */
  readMoment(request: AsOfRequest, isGone: () => boolean): Promise<AsOfReply>;
  readStats(): AsOfStats;
}
