import type { LiquiditySources } from './book-requests.js';

/** What a streaming topic shows; every subscriber of it gets the same bytes. */
export interface TopicSpec extends LiquiditySources {
  readonly channel: 'book' | 'bbo' | 'l3';
  /** A `MarketInfo.id`. */
  readonly market: number;
  /** Levels of a side, or orders for `l3`; `bbo` has none. */
  readonly depth?: number | undefined;
  /** Ticks a group, for `book`; left out and 1 are the same topic, of every level by itself. */
  readonly grouping?: number | undefined;
  /** Only the orders of this user account (base58), for `l3`. */
  readonly maker?: string | undefined;
  /** Whether frames carry {@link FrameTimes}; left out for no. */
  readonly timing?: boolean | undefined;
  /** The least time between two frames that the client chose; left out for the service's own. */
  readonly intervalMs?: number | undefined;
  /** Whether frames are bytes and no JSON text; left out for no. */
  readonly binary?: boolean | undefined;
}

/** What a frame says about time, in unix nanoseconds; 0 where it is not known. */
export interface FrameTimes {
  /** Receipt of the first notification of the turn. */
  readonly recvNs: bigint;
  /** Making of the frame. */
  readonly sendNs: bigint;
}

/** The snapshot of a topic for one reader. */
export interface TopicSnapshotRequest {
  /** The JSON text of the request's id; empty for none. */
  readonly id: string;
  /** Whether the reader must discard what it had. */
  readonly reset: boolean;
  /** When the frame is made, for a topic with timing. */
  readonly sendNs?: bigint | undefined;
}

/** A frame for all subscribers of a topic. */
export interface TopicDelta {
  /** A view on the engine's own buffer, valid until its next frame of any topic. */
  readonly frame: Uint8Array;
  /** The seq that a reader must have; without meaning when `reset`. */
  readonly prev: number;
  /** The seq that a reader has with it. */
  readonly seq: number;
  /** The frame is no delta but the snapshot of another epoch: nothing before it can be resumed. */
  readonly reset: boolean;
}
