/** A subscription of a socket, and the interface of dialects. */
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { QuotaClass } from '../admission/topic-quota.js';
import type { BookTopics } from './book-topics.js';
import type { ClientMessage, MessageId } from './client-message.js';
import type { HistoryTopics } from './history-topics.js';
import type { StreamTopics } from './stream-topics.js';
import type { SummaryTopics } from './summary-topics.js';

/** Receives the frames of one subscription. */
export interface FrameSink {
  /** Returns false when the frame was dropped because the client's backlog is full. */
  send(frame: Uint8Array): boolean;
  /** Whether the client has a backlog, so that sending should pause. */
  isBehind(): boolean;
}

/** The reason of a snapshot: a new subscription, or missed frames. */
export type SnapshotKind = 'first' | 'reset';

/**
 * True when the complete snapshot was sent, false when the client has no room, and `later` when the
 * subscriber must first obtain the snapshot; it then calls back.
 */
export type SendOutcome = boolean | 'later';

/** Callbacks of a subscriber that returned `later`. */
export interface SnapshotCallbacks {
  /** The snapshot can be sent during this call, and not after it. */
  onReady(): void;
  /** The snapshot failed: the subscription ends with this error. */
  onFailed(error: Error): void;
}

/** One subscription of one socket. */
export interface Subscriber {
  /** The key of the published topic. */
  readonly key: string;
  /** The members of an error about this subscription, besides its code. */
  readonly errorMembers: object;
  /** The reply to the subscription, if the subscriber sends it after the snapshot. */
  readonly acknowledgement?: string | undefined;
  /**
   * Whether frames of another subscription to the topic must not mix with its frames, so that it
   * ends the earlier subscription immediately.
   */
  readonly isAlone?: boolean | undefined;
  /** Called first, for subscribers that return `later`. */
  attachCallbacks?: ((callbacks: SnapshotCallbacks) => void) | undefined;
  /** Sends the state that the topic's next frame continues. */
  sendSnapshot(sink: FrameSink, showing: SnapshotKind): SendOutcome;
  /** Releases the topic. */
  leaveTopic(): void;
}

/** A requested subscription. */
export interface SubscriptionRequest {
  readonly key: string;
  /** The quota of the topic. */
  readonly quotaClass: QuotaClass;
  /** Opens the topic. */
  openSubscriber(): Subscriber;
}

/** A requested subscription to all markets, `"market":"*"`. */
export interface WildcardRequest {
  /** The topics' key with `*` for the market. */
  readonly key: string;
  /** Requests for each market served now; their snapshots repeat the id. */
  listRequests(id: MessageId | undefined): readonly SubscriptionRequest[];
}

/** The actions of messages about subscriptions. */
export type SubscriptionAction = 'subscribe' | 'unsubscribe';

/** The parts of the service that dialects subscribe to. */
export interface ChannelParts {
  readonly book: BookSource;
  readonly directory: MarketDirectory;
  readonly books: BookTopics;
  readonly streams: StreamTopics;
  /** Null without a history. */
  readonly market: HistoryTopics | null;
  /** Null without statistics. */
  readonly summaries: SummaryTopics | null;
}

/** The topic of a message, and the parts to describe it. */
interface AcknowledgedTopic {
  readonly key: string;
  readonly parts: ChannelParts;
}

/** Reads the messages about one kind of channel, and writes the replies. */
export interface Dialect {
  /** Reads a subscription. Throws a SocketError that describes the error in the message. */
  readRequest(message: ClientMessage, parts: ChannelParts): SubscriptionRequest;
  /** Reads a subscription to all markets; undefined when the message names one market. */
  readWildcard?(message: ClientMessage, parts: ChannelParts): WildcardRequest | undefined;
  /** Reads the topic or wildcard key to unsubscribe from. Throws a SocketError as well. */
  readKey(message: ClientMessage, parts: ChannelParts): string;
  /** Undefined when the subscriber sends its reply after the snapshot. */
  buildAcknowledgement(
    action: SubscriptionAction,
    message: ClientMessage,
    asked: AcknowledgedTopic,
  ): object | undefined;
  /** The members of an error besides its code. */
  buildErrorMembers(action: SubscriptionAction, message: ClientMessage): object;
}
