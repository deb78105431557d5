/** Streaming topics as they were: what the server asks of a journal, and what it gets. */
import type { AsOfMoment, MarketKey } from './as-of-source.js';
import type { JournalMoment } from './journal-source.js';
import type { TopicSpec } from './topics.js';

/** A topic whose frames of the past are made again. */
export interface ReplayTopic {
  readonly key: MarketKey;
  /** What it shows. Its `market` is an id of the present run of the book, and is not read. */
  readonly spec: TopicSpec;
  /** The name that its frames have. */
  readonly name: string;
  /** The interval by whose marks it is published, as the bit that marks have for it. */
  readonly classIndex: number;
}

/** A replay to begin. */
export interface ReplayRequest {
  readonly topic: ReplayTopic;
  readonly from: AsOfMoment;
  /** Where it ends; null for a replay that becomes the live topic. */
  readonly until: AsOfMoment | null;
  /** How many times faster than it was. */
  readonly speed: number;
  /** The JSON text of the request's id, which the snapshot repeats; empty for none. */
  readonly id: string;
}

/** What is asked of a replay that runs; `id` as in {@link ReplayRequest}. Undefined members stay as they are. */
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

/** Why there is no frame of a moment, as {@link AsOfRefusal} has it. */
export interface ReplayRefusal {
  /** `fault` for one of the service, which it has logged: its message is not for clients. */
  readonly kind: 'notKept' | 'noMarket' | 'busy' | 'fault';
  readonly message: string;
}

/** What a replay says between its frames. */
export type ReplayEvent =
  | { readonly kind: 'paused'; readonly id: string; readonly at: JournalMoment }
  | { readonly kind: 'resumed'; readonly id: string; readonly speed: number }
  /** The snapshot of the new place follows. */
  | { readonly kind: 'sought'; readonly id: string }
  /** There is no such place: the replay stays where it was. */
  | { readonly kind: 'seekRefused'; readonly id: string; readonly refusal: ReplayRefusal }
  /** Nothing is kept between the two; a snapshot follows. */
  | {
      readonly kind: 'hole';
      readonly from: JournalMoment;
      readonly to: JournalMoment;
      readonly reason: 'restart' | 'stopped' | 'damaged';
    }
  /** No frame follows, as `until` is reached, or the journal ends here and goes on no more. */
  | { readonly kind: 'ended'; readonly at: JournalMoment; readonly reason: 'until' | 'end' }
  /** It has come to the end of the journal, with this frame, which is that of a mark. */
  | { readonly kind: 'caughtUp'; readonly epoch: string; readonly seq: number }
  /** It has ended by a failure. */
  | { readonly kind: 'failed'; readonly refusal: ReplayRefusal };

/** A frame or an event of a replay. */
export type ReplayItem = Uint8Array | ReplayEvent;

/** A replay that runs. What waits to be taken is bounded, and then the replay waits as well. */
export interface Replay {
  /** The oldest item that was not taken; undefined when there is none. */
  readonly next: ReplayItem | undefined;
  /** Commands whose events were not taken. */
  readonly commandsWaiting: number;
  takeItem(): void;
  sendCommand(command: ReplayCommand): void;
  /** After {@link ReplayListener.onEnd}: plays what the journal has by now, without a pause, and ends or has caught up. */
  finish(): void;
  close(): void;
}

/** Is notified of what a replay does, never during a call of it. */
export interface ReplayListener {
  /** There is another item. */
  onItem(): void;
  /** It has come to the end of what is written, and waits for {@link Replay.finish}. */
  onEnd(): void;
}

/** Plays the journal to readers of the stream. */
export interface ReplaySource {
  /** Begins a replay; a text says why there is no room for it. */
  openReplay(request: ReplayRequest, listener: ReplayListener): Replay | string;
}
