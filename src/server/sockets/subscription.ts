/** A subscription of a socket, and the interface of the dialects. */
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import type { QuotaClass } from '../admission/topic-quota.js';
import type { BookTopics } from './book-topics.js';
import type { ClientMessage, MessageId } from './client-message.js';
import type { HistoryTopics } from './history-topics.js';
import type { StreamTopics } from './stream-topics.js';
import type { SummaryTopics } from './summary-topics.js';
import type { UserTopics } from './user-topics.js';

/** Receives the frames of one subscription. */
export interface FrameSink {
  /**
   * Sends a frame; returns false when the frame was dropped because the client's backlog is full.
   */
  send(frame: Uint8Array): boolean;
  /** Whether the client has a backlog, so sending should pause. */
  isBehind(): boolean;
}

/** The reason for a snapshot: a new subscription, or missed frames. */
export type SnapshotKind = 'first' | 'reset';

/**
 * The outcome of sending a snapshot: true when it was sent completely, false when the client has no
 * room, `later` when the subscriber must first obtain the snapshot and will call back.
 */
export type SendOutcome = boolean | 'later';

/** Callbacks of a subscriber that returned `later`. */
export interface SnapshotCallbacks {
  /** Called when the snapshot is ready; it can be sent during this call only. */
  onReady(): void;
  /** Called when the snapshot failed; the subscription ends with this error. */
  onFailed(error: Error): void;
}

/** One subscription of one socket. */
export interface Subscriber {
  /** The key of the published topic. */
  readonly key: string;
  /** The members with which an error describes this subscription, in addition to the code. */
  readonly errorMembers: object;
  /**
   * The reply to the subscription, when the subscriber itself sends the reply after the snapshot.
   */
  readonly acknowledgement?: string | undefined;
  /**
   * Whether the frames must not mix with frames of an earlier subscription to the topic, which is
   * then ended immediately.
   */
  readonly isAlone?: boolean | undefined;
  /** Called first, for subscribers that return `later`. */
  attachCallbacks?: ((callbacks: SnapshotCallbacks) => void) | undefined;
  /** Sends the state that the next frame of the topic continues. */
  sendSnapshot(sink: FrameSink, showing: SnapshotKind): SendOutcome;
  /** Releases the topic. */
  leaveTopic(): void;
}

/** A requested subscription. */
export interface SubscriptionRequest {
  readonly key: string;
  /** Its market as it is now, whose new name ends the subscription; undefined for all markets. */
  readonly market?: MarketInfo | undefined;
  /** The quota of the topic. */
  readonly quotaClass: QuotaClass;
  /** Opens the topic. */
  openSubscriber(): Subscriber;
}

/** A requested subscription to all markets, `"market":"*"`, or to all accounts of a wallet. */
export interface WildcardRequest {
  /** The key of the topics, with `*` in place of the market. */
  readonly key: string;
  /** Returns a request for each market that is now served; their snapshots repeat the id. */
  listRequests(id: MessageId | undefined): readonly SubscriptionRequest[];
}

/** The actions of messages about subscriptions. */
export type SubscriptionAction = 'subscribe' | 'unsubscribe';

/** The parts of the service to which dialects subscribe. */
export interface ChannelParts {
  readonly book: BookSource;
  readonly directory: MarketDirectory;
  readonly books: BookTopics;
  readonly streams: StreamTopics;
  readonly users: UserTopics;
  /** Null without a history. */
  readonly market: HistoryTopics | null;
  /** Null without statistics. */
  readonly summaries: SummaryTopics | null;
}

/** The topic of a message, and the members that describe the topic. */
interface AcknowledgedTopic {
  readonly key: string;
  readonly parts: ChannelParts;
}

/** Reads the messages about one kind of channel, and writes the replies. */
export interface Dialect {
  /** Reads a subscription. Throws a SocketError that describes the error in the message. */
  readRequest(message: ClientMessage, parts: ChannelParts): SubscriptionRequest;
  /**
   * Reads a subscription of an address to all markets, or to a wallet; undefined when the message
   * names one market or account.
   */
  readWildcard?(
    message: ClientMessage,
    parts: ChannelParts,
    ip: string,
  ): WildcardRequest | undefined;
  /**
   * Reads the key of the topic or wildcard to unsubscribe from. Throws a SocketError that describes
   * the error in the message.
   */
  readKey(message: ClientMessage, parts: ChannelParts): string;
  /** Returns the acknowledgement; undefined when the subscriber sends it after the snapshot. */
  buildAcknowledgement(
    action: SubscriptionAction,
    message: ClientMessage,
    asked: AcknowledgedTopic,
  ): object | undefined;
  /** Returns the members of an error in addition to its code. */
  buildErrorMembers(action: SubscriptionAction, message: ClientMessage): object;
}
