/** One subscription of one socket, and how a dialect reads it from a message. */
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { QuotaClass } from '../admission/topic-quota.js';
import type { BookTopics } from './book-topics.js';
import type { ClientMessage, MessageId } from './client-message.js';
import type { HistoryTopics } from './history-topics.js';
import type { StreamTopics } from './stream-topics.js';
import type { SummaryTopics } from './summary-topics.js';

/** Takes the frames for one subscriber alone. */
export interface FrameSink {
  /** Returns false when the frame was dropped, as too much waits for the client. */
  send(frame: Uint8Array): boolean;
  /** Whether the client should read before it is sent more. */
  isBehind(): boolean;
}

/** Why a subscriber sends a snapshot: its subscription begins, or its client missed frames. */
export type SnapshotKind = 'first' | 'reset';

/**
 * True when the whole snapshot was sent, false when the client had no room for it, and `later` when the
 * subscriber has yet to obtain it and calls back then.
 */
export type SendOutcome = boolean | 'later';

/** How a subscriber that returned `later` calls back. */
export interface SnapshotCallbacks {
  /** The snapshot can be sent during this call, and not after it. */
  onReady(): void;
  /** There will be no snapshot, for this reason: the subscription ends. */
  onFailed(error: Error): void;
}

/** One subscription of one socket. */
export interface Subscriber {
  /** The name under which its topic is published. */
  readonly key: string;
  /** The members of an error about this subscription besides its code. */
  readonly errorMembers: object;
  /** The reply to the message that subscribed, where it follows the snapshot. */
  readonly acknowledgement?: string | undefined;
  /** Whether no frame of another subscription to its topic may come between its own: it ends the one before at once. */
  readonly isAlone?: boolean | undefined;
  /** The first call, for subscribers that return `later`. */
  attachCallbacks?: ((callbacks: SnapshotCallbacks) => void) | undefined;
  /** Sends the state on which the topic's next frame builds. */
  sendSnapshot(sink: FrameSink, showing: SnapshotKind): SendOutcome;
  /** Releases the topic. */
  leaveTopic(): void;
}

/** A subscription that a message requests. */
export interface SubscriptionRequest {
  readonly key: string;
  /** Where its topic counts. */
  readonly quotaClass: QuotaClass;
  /** Opens the topic. */
  openSubscriber(): Subscriber;
}

/** What a message with `"market":"*"` requests. */
export interface WildcardRequest {
  /** The name of its topics with `*` for the market. */
  readonly key: string;
  /** The topic of each market that is served now; its snapshot repeats the id. */
  listRequests(id: MessageId | undefined): readonly SubscriptionRequest[];
}

/** What a message does to a subscription. */
export type SubscriptionAction = 'subscribe' | 'unsubscribe';

/** The parts of the service that the dialects subscribe to. */
export interface ChannelParts {
  readonly book: BookSource;
  readonly directory: MarketDirectory;
  readonly books: BookTopics;
  readonly streams: StreamTopics;
  /** Null where the service has no history. */
  readonly market: HistoryTopics | null;
  /** Null where the service makes no statistics. */
  readonly summaries: SummaryTopics | null;
}

/** The topic of a message, and the parts to describe it. */
export interface AcknowledgedTopic {
  readonly key: string;
  readonly parts: ChannelParts;
}

/** Reads the messages about one kind of channel, and writes the replies. */
export interface Dialect {
  /** Reads a subscription. Throws a SocketError that says what is wrong with the message. */
  readRequest(message: ClientMessage, parts: ChannelParts): SubscriptionRequest;
  /** Reads a subscription to a topic of every market; undefined where the message names one market. */
  readWildcard?(message: ClientMessage, parts: ChannelParts): WildcardRequest | undefined;
  /** Reads the topic to unsubscribe from, or the key of a wildcard. Throws a SocketError as well. */
  readKey(message: ClientMessage, parts: ChannelParts): string;
  /** Undefined where the subscriber sends it itself, after its snapshot. */
  buildAcknowledgement(
    action: SubscriptionAction,
    message: ClientMessage,
    asked: AcknowledgedTopic,
  ): object | undefined;
  /** The members of an error besides its code. */
  buildErrorMembers(action: SubscriptionAction, message: ClientMessage): object;
}
