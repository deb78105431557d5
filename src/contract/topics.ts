import type { LiquiditySources } from './book-requests.js';

/** The content of a streaming topic; all its subscribers get the same bytes. */
export interface TopicSpec extends LiquiditySources {
  readonly channel: 'book' | 'bbo' | 'l3';
  /** A `MarketInfo.id`. */
  readonly market: number;
  /** Levels a side for `book`, orders a side for `l3`; not for `bbo`. */
  readonly depth?: number | undefined;
  /** Ticks in each price group, for `book`; 1, the default, does not group. */
  readonly grouping?: number | undefined;
  /** The user account (base58) whose orders alone are included, for `l3`. */
  readonly maker?: string | undefined;
  /** Whether frames carry {@link FrameTimes}; default no. */
  readonly timing?: boolean | undefined;
  /** The minimum interval of frames, if the client chose one; by default the service's. */
  readonly intervalMs?: number | undefined;
  /** Whether frames are binary; default JSON. */
  readonly binary?: boolean | undefined;
}

/** The times of a frame, in unix nanoseconds; 0 for unknown. */
export interface FrameTimes {
  /** Arrival of the turn's first notification. */
  readonly recvNs: bigint;
  /** Creation of the frame. */
  readonly sendNs: bigint;
}

/** The snapshot of a topic for one reader. */
export interface TopicSnapshotRequest {
  /** The JSON text of the request's id; empty for none. */
  readonly id: string;
  /** Whether the reader must discard its state. */
  readonly reset: boolean;
  /** Time of rendering the frame, unix nanoseconds, for a topic with timing. */
  readonly sendNs?: bigint | undefined;
}

/** A frame for all subscribers of a topic. */
export interface TopicDelta {
  /** A view of the engine's buffer, valid until the engine renders the next frame of any topic. */
  readonly frame: Uint8Array;
  /** The seq that the frame continues; meaningless for a `reset`. */
  readonly prev: number;
  /** The seq after the frame. */
  readonly seq: number;
  /**
   * Whether the frame is a snapshot of another epoch instead of a delta: earlier frames cannot be
   * resumed.
   */
  readonly reset: boolean;
}

/** The open topics of a book. Each frame is a view that is valid until the next frame. */
export interface TopicSource {
  /**
   * Opens a topic whose first publication is the current book; `recvNs` is the receipt time of the
   * book's newest update. Returns a handle for the methods below.
   */
  openTopic(spec: TopicSpec, recvNs?: bigint): number;
  closeTopic(handle: number): void;
  /** Publishes the changes since the last publication; returns null when there are none. */
  renderDelta(handle: number, times?: FrameTimes): TopicDelta | null;
  /** Renders the snapshot of the last publication, which the next delta continues. */
  renderSnapshot(handle: number, request: TopicSnapshotRequest): Uint8Array;
  /** Renders the current slot and state, and the seq of the last publication. */
  renderHeartbeat(handle: number): Uint8Array;
}
