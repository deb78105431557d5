/** Past streaming topics: the server's requests to a journal, and their results. */
import type { AsOfMoment, MarketIdentity } from './as-of-source.js';
import type { JournalMoment } from './journal-source.js';
import type { TopicSpec } from './topics.js';

/** A topic whose past frames are rendered again. */
export interface ReplayTopic {
  readonly key: MarketIdentity;
  /**
   * The content of the topic. Its `market` is an id of the present epoch of the book, and is
   * ignored.
   */
  readonly spec: TopicSpec;
  /** The name in its frames. */
  readonly name: string;
  /** The bit of its interval in marks. */
  readonly classIndex: number;
}

/** A replay to start. */
export interface ReplayRequest {
  readonly topic: ReplayTopic;
  readonly from: AsOfMoment;
  /** The end of the replay; null to continue as the live topic. */
  readonly until: AsOfMoment | null;
  /** Speed factor. */
  readonly speed: number;
  /** The JSON text of the request's id, which the snapshot repeats; empty for none. */
  readonly id: string;
}

/**
 * A command for a running replay; `id` has the meaning of {@link ReplayRequest}. Undefined members
 * stay unchanged.
 */
export type ReplayCommand =
  | { readonly kind: 'pause'; readonly id: string }
  | { readonly kind: 'resume'; readonly id: string; readonly speed?: number | undefined }
  | {
      readonly kind: 'seek';
      readonly id: string;
      readonly from: AsOfMoment;
      readonly until?: AsOfMoment | null | undefined;
      readonly speed?: number | undefined;
    };

/** The reason why a moment has no frame, see {@link AsOfRefusal}. */
export interface ReplayRefusal {
  /**
   * The kind of refusal; `fault` is a failure of the service, which is logged: its message is not
   * for clients.
   */
  readonly kind: 'notKept' | 'noMarket' | 'busy' | 'fault';
  readonly message: string;
}

/** An event between the frames of a replay. */
export type ReplayEvent =
  | { readonly kind: 'paused'; readonly id: string; readonly at: JournalMoment }
  | { readonly kind: 'resumed'; readonly id: string; readonly speed: number }
  /** The snapshot of the new position follows. */
  | { readonly kind: 'sought'; readonly id: string }
  /** The position of a seek does not exist: the replay keeps its position. */
  | { readonly kind: 'seekRefused'; readonly id: string; readonly refusal: ReplayRefusal }
  /** The journal has nothing between the two moments; a snapshot follows. */
  | {
      readonly kind: 'hole';
      readonly from: JournalMoment;
      readonly to: JournalMoment;
      readonly reason: 'restart' | 'stopped' | 'damaged';
    }
  /** The replay is complete, because `until` is reached, or the journal has ended for good. */
  | { readonly kind: 'ended'; readonly at: JournalMoment; readonly reason: 'until' | 'end' }
  /** With this frame, which belongs to a mark, the replay has reached the end of the journal. */
  | { readonly kind: 'caughtUp'; readonly epoch: string; readonly seq: number }
  /** The replay has failed. */
  | { readonly kind: 'failed'; readonly refusal: ReplayRefusal };

/** A frame or an event of a replay. */
export type ReplayItem = Uint8Array | ReplayEvent;

/** A running replay. Its item queue is bounded; when it is full, the replay pauses. */
export interface Replay {
  /** The oldest untaken item; undefined for none. */
  readonly next: ReplayItem | undefined;
  /** Commands whose events are untaken. */
  readonly commandsWaiting: number;
  takeItem(): void;
  sendCommand(command: ReplayCommand): void;
  /**
   * Call this after {@link ReplayListener.onEnd}: the replay plays the rest of the journal without
   * pause, and then ends or has caught up.
   */
  finish(): void;
  close(): void;
}

/** Receives the events of a replay; its methods are never called during a call of the replay. */
export interface ReplayListener {
  /** A new item is available. */
  onItem(): void;
  /**
   * Called when the replay has reached the end of the written journal, and waits for {@link
   * Replay.finish}.
   */
  onEnd(): void;
}

/** Starts replays of the journal. */
export interface ReplaySource {
  /** Starts a replay; returns a text, the reason, when there is no capacity for it. */
  openReplay(request: ReplayRequest, listener: ReplayListener): Replay | string;
}
