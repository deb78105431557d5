/** What one socket gets of one topic, whatever the channel. */

/** Where a reader's own frames go. */
export interface FrameSink {
  /** False when the frame was left out, as too much waits for the client. */
  send(frame: Uint8Array): boolean;
  /** Whether the client should read before it is sent more. */
  isBehind(): boolean;
}

/** Why a reader is shown what it is to go on from. */
export type SnapshotKind = 'first' | 'reset';

/**
 * Whether a reader has sent all that it goes on from: false when its client had no room for it, and
 * `later` when it has still to get it, and calls its door then.
 */
export type SendOutcome = boolean | 'later';

/** How a reader comes back to what it was to show. */
export interface SnapshotCallbacks {
  /** It can be shown now, and at once: it is not kept. */
  onReady(): void;
  /** It cannot be shown at all: it takes part no more, with this error. */
  onFailed(error: Error): void;
}

/** One subscription of one socket. */
export interface Subscriber {
  /** What its topic is published under. */
  readonly key: string;
  /** Whether its client expects the beat of the compatible channels. */
  readonly hasHeartbeat: boolean;
  /** What an error about it has beside its code. */
  readonly errorMembers: object;
  /** The answer to the message that asked for it, where it is said behind what is shown first. */
  readonly acknowledgement?: string | undefined;
  /** The first call, for readers that show `later`. */
  attachCallbacks?(door: SnapshotCallbacks): void;
  /** Sends what the topic's next frame goes on from. */
  sendSnapshot(sink: FrameSink, showing: SnapshotKind): SendOutcome;
  /** Gives the topic back. */
  leaveTopic(): void;
}

/** What a message asks for. */
export interface SubscriptionRequest {
  readonly key: string;
  /** Takes part in the topic. */
  openSubscriber(): Subscriber;
}

/** What a message may do to a subscription. */
export type Action = 'subscribe' | 'unsubscribe';
