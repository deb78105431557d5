/** What one socket gets of one topic, whatever the channel. */

/** Where a reader's own frames go. */
export interface FrameSink {
  /** False when the frame was left out, as too much waits for the client. */
  send(frame: Uint8Array): boolean;
  /** Whether the client should read before it is sent more. */
  isBehind(): boolean;
}

/** Why a reader is shown what it is to go on from. */
export type Showing = 'first' | 'reset';

/** One subscription of one socket. */
export interface Reader {
  /** What its topic is published under. */
  readonly key: string;
  /** Whether its client expects the beat of the compatible channels. */
  readonly hasBeat: boolean;
  /** What an error about it has beside its code. */
  readonly errorMembers: object;
  /** Sends what the topic's next frame goes on from; false when it could not send all of it. */
  show(sink: FrameSink, showing: Showing): boolean;
  /** Gives the topic back. */
  leave(): void;
}

/** What a message asks for. */
export interface Wish {
  readonly key: string;
  /** Takes part in the topic. */
  open(): Reader;
}
