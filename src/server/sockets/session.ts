/**
 * The session of one client: its subscriptions, and the replies to its messages. An error in a
 * client's message becomes an error reply and is never thrown.
 */
import { LIMITS } from '../../config/limits.js';
import type { MarketInfo } from '../../contract/markets.js';
import type { Timer } from '../../contract/timers.js';
import { MessageLimiter } from '../admission/admission.js';
import { keyOf } from '../api/market-params.js';
import type { CloseReason } from '../metrics/socket-metrics.js';
import type { ClientSocket, CloseCause, SocketSession } from '../transport/client-socket.js';
import { SocketError } from '../transport/errors.js';
import { ClientMessage, idOfText, malformedMessage, replyText } from './client-message.js';
import { compatible } from './compatible-dialect.js';
import { Delivery } from './delivery.js';
import { dialectOf, errorMembersOf, isAction } from './dialects.js';
import type { EarlySession } from './early-messages.js';
import { isReplayAction } from './replay-messages.js';
import type { SessionParts } from './session-parts.js';
import { SocketReplays } from './socket-replays.js';
import { SocketTopics } from './socket-topics.js';
import { streaming } from './stream-dialect.js';
import type { Dialect } from './subscription.js';
import { Wildcards } from './wildcards.js';

/** The session of one socket. */
export class Session implements SocketSession, EarlySession {
  readonly #parts: SessionParts<Session>;
  readonly #delivery: Delivery;
  readonly #topics: SocketTopics;
  readonly #wildcards: Wildcards;
  readonly #replays: SocketReplays;
  readonly #messageLimiter: MessageLimiter;
  /**
   * The dialects of the client's messages; they decide about heartbeats and the closing handshake.
   */
  readonly #dialects = new Set<Dialect>();
  #closing: CloseReason | undefined;
  #closeGrace: Timer | undefined;

  constructor(
    readonly socket: ClientSocket,
    parts: SessionParts<Session>,
  ) {
    this.#parts = parts;
    const { counts, timers } = parts;
    const { messagesPerSecond: perSecond, messageBurst: burst } = parts;
    this.#messageLimiter = new MessageLimiter({ perSecond, burst }, timers.nowMs());
    this.#delivery = new Delivery({
      socket,
      counts,
      timers,
      onBehind: () => parts.onBehind(this),
      onTooSlow: () => this.#closeSlowReader(),
      onTooManyReplies: () => this.#closeSocket('slowReader', tryAgainLaterCode, 'slow reader'),
      onFailed: (error, { key, errorMembers }) => {
        this.#topics.releaseUnused(key);
        this.#sendError(error, undefined, errorMembers);
      },
    });
    const delivery = this.#delivery;
    const { quota, topicsPerSocket } = parts;
    this.#topics = new SocketTopics({ delivery, quota, ip: socket.ip, topicsPerSocket });
    this.#replays = new SocketReplays({
      ...parts,
      ip: socket.ip,
      onUnanswered: (id) => this.#sendError(replayEnded(), undefined, { id: idOfText(id) }),
    });
    this.#wildcards = new Wildcards({
      topics: this.#topics,
      delivery,
      wildcardsMax: topicsPerSocket,
      isClosing: () => this.#closing !== undefined,
      sendReply: (reply) => this.#sendReply(reply),
      reportEnd: (error, members) => this.#sendError(error, undefined, members),
    });
  }

  /** Heartbeats start with the connection, and stop with the first message in a dialect without heartbeats. */
  onOpen(): void {
    this.socket.joinTopic(this.#parts.heartbeatTopic);
  }

  onMessage(text: string | null): void {
    if (!this.#admitMessage()) return;
    const { early } = this.#parts;
    // A binary message is handled like an empty text, which is also malformed.
    const handled = text ?? '';
    if (!early.mustWait(this)) early.runNow(() => this.#handleText(handled));
    else this.#handleGuarded(undefined, () => early.keepMessage(this, handled));
  }

  /** Handles a queued message. */
  handleEarly(text: string): void {
    if (this.#closing === undefined) this.#handleText(text);
  }

  /** The transport answers the ping; the ping counts as a message. */
  onPing(): void {
    this.#admitMessage();
  }

  onDrain(): void {
    if (this.#closing === undefined) {
      this.#delivery.handleDrain();
      this.#parts.early.resume(this);
    } else if (this.#closing === 'slowReader') this.#closeOnceDrained();
  }

  onDropped(): void {
    this.#delivery.handleDropped();
  }

  onClose(cause: CloseCause): void {
    this.#closeGrace?.cancel();
    this.#releaseTopics();
    this.#parts.counts.outcomes.countClose(
      cause === 'server' ? (this.#closing ?? 'internal') : cause,
    );
    this.#parts.onClosed(this);
  }

  /** Leaves all topics because the socket is full: see {@link SessionParts.onBehind}. */
  leaveTopics(): void {
    this.#delivery.leaveTopics();
  }

  /** Ends the subscriptions to markets that have other names in these rows: another market may take a name. */
  endRenamed(rows: ReadonlyMap<number, MarketInfo>): void {
    for (const { market, members } of this.#topics.endRenamed(rows)) {
      const now = rows.get(market.id);
      const text =
        now === undefined ? 'no longer served' : `now ${now.symbol}, and still ${keyOf(now)}`;
      const error = new SocketError('UNKNOWN_MARKET', `the market ${market.symbol} is ${text}`);
      this.#sendError(error, undefined, { ...members, id: undefined });
    }
  }

  /** Subscribes wildcards to the topics of new markets. */
  addNewMarkets(): void {
    if (this.#closing === undefined) this.#wildcards.addNewMarkets();
  }

  /** Announces the shutdown of the service; {@link Session.closeForShutdown} follows. */
  announceShutdown(reconnectAfterMs: number): void {
    this.#sendReply({ type: 'closing', reconnectAfterMs });
  }

  closeForShutdown(): void {
    this.#closeSocket('shutdown', goingAwayCode);
  }

  #admitMessage(): boolean {
    const isAllowed = this.#messageLimiter.admitMessage(this.#parts.timers.nowMs(), {
      refuse: (error) => this.#sendError(error, undefined, {}),
      close: (reason) => this.#closeAbuser(reason),
    });
    return isAllowed && this.#closing === undefined;
  }

  /** Errors become the reply to the message. */
  #handleGuarded(message: ClientMessage | undefined, handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.#sendError(error, message, errorMembersOf(message));
    }
  }

  #handleText(text: string): void {
    const message = ClientMessage.parse(text);
    this.#handleGuarded(message, () => {
      if (message === undefined) {
        throw malformedMessage('a message must be a JSON object in a text frame');
      }
      this.#handleMessage(message, text);
    });
  }

  #handleMessage(message: ClientMessage, text: string): void {
    const type = message.getWord('type');
    if (type === 'ping') {
      this.#sendReply({ type: 'pong', id: message.id, ts: this.#parts.timers.unixMs() });
      return;
    }
    const { early } = this.#parts;
    if (isReplayAction(type)) {
      // The subscription that it is about may wait as well.
      if (early.isEarly) early.keepMessage(this, text);
      else this.#replays.handleMessage(type, message);
      return;
    }
    if (!isAction(type)) {
      const known = 'subscribe, unsubscribe, ping, or for a replay pause, resume or seek';
      throw malformedMessage(`type must be ${known}`);
    }
    const dialect = dialectOf(message);
    if (dialect === undefined) throw malformedMessage('channel is missing');
    this.#noteDialect(dialect);
    if (early.isEarly) early.keepMessage(this, text);
    else this.#changeSubscription(dialect, message);
  }

  #changeSubscription(dialect: Dialect, message: ClientMessage): void {
    if (message.getWord('type') === 'subscribe') this.#addSubscription(dialect, message);
    else this.#removeSubscription(dialect, message);
  }

  #noteDialect(dialect: Dialect): void {
    if (this.#dialects.has(dialect)) return;
    this.#dialects.add(dialect);
    const { heartbeatTopic } = this.#parts;
    if (this.#dialects.has(compatible)) this.socket.joinTopic(heartbeatTopic);
    else this.socket.leaveTopic(heartbeatTopic);
  }

  /** Subscribes to a topic. A repeated subscription is acknowledged and starts again. */
  #addSubscription(dialect: Dialect, message: ClientMessage): void {
    const past = dialect === streaming ? this.#replays.readRequest(message) : undefined;
    const wildcard =
      past === undefined ? dialect.readWildcard?.(message, this.#parts, this.socket.ip) : undefined;
    if (wildcard !== undefined) {
      this.#wildcards.addWildcard(wildcard, message.id);
      return;
    }
    const request = past ?? dialect.readRequest(message, this.#parts);
    const { key } = request;
    const isNew = !this.#topics.hasTopic(key);
    if (isNew) this.#topics.acquireTopic(request);
    try {
      const reader = request.openSubscriber();
      this.#sendAcknowledgement(
        dialect.buildAcknowledgement('subscribe', message, { key, parts: this.#parts }),
      );
      if (this.#closing === undefined) this.#delivery.beginSubscription(reader);
      else reader.leaveTopic();
    } catch (error) {
      this.#topics.releaseUnused(key);
      throw error;
    }
    if (isNew) this.#topics.releaseUnused(key);
  }

  #removeSubscription(dialect: Dialect, message: ClientMessage): void {
    const key = dialect.readKey(message, this.#parts);
    if (!this.#wildcards.removeWildcard(key) && !this.#topics.endTopic(key)) {
      throw new SocketError('NOT_SUBSCRIBED', 'there is no such subscription on this socket');
    }
    const asked = { key, parts: this.#parts };
    this.#sendAcknowledgement(dialect.buildAcknowledgement('unsubscribe', message, asked));
  }

  #sendAcknowledgement(answer: object | undefined): void {
    if (answer !== undefined) this.#sendReply(answer);
  }

  /**
   * Sends an error. Its id is the id of the message; when there is no message, `members` may
   * contain the id.
   */
  #sendError(error: unknown, message: ClientMessage | undefined, members: object): void {
    const { counts, onFault } = this.#parts;
    if (!(error instanceof SocketError)) onFault(error, 'a message of a WebSocket');
    const { code, message: text } =
      error instanceof SocketError
        ? error
        : new SocketError('INTERNAL', 'the message failed unexpectedly');
    counts.outcomes.countError(code);
    const id = message === undefined ? {} : { id: message.id };
    this.#sendReply({ ...members, type: 'error', code, message: text, ...id });
  }

  /** Undefined members are omitted. */
  #sendReply(answer: object): void {
    if (this.#closing === undefined) this.#delivery.sendReply(replyText(answer));
  }

  #releaseTopics(): void {
    this.#parts.early.removeSession(this);
    this.#topics.endAll();
  }

  /**
   * Closes in the next turn, because the transport discards replies that are sent in the turn of
   * the close.
   */
  #closeAbuser(reason: string): void {
    if (this.#closing !== undefined) return;
    this.#closing = 'rateLimited';
    this.#parts.timers.soon(() => this.#closeSocket('rateLimited', policyViolationCode, reason));
  }

  /**
   * Closes a slow client: with a reason once it has read its backlog, otherwise without a reason
   * after a grace period.
   */
  #closeSlowReader(): void {
    if (this.#closing !== undefined) return;
    this.#closing = 'slowReader';
    this.#releaseTopics();
    this.socket.leaveTopic(this.#parts.heartbeatTopic);
    const { slowCloseGraceMsMax } = LIMITS;
    this.#closeGrace = this.#parts.timers.after(slowCloseGraceMsMax, () => this.socket.terminate());
    this.#closeOnceDrained();
  }

  #closeOnceDrained(): void {
    if (this.socket.bufferedBytes() > 0) return;
    this.#closeSocket('slowReader', tryAgainLaterCode, 'slow reader');
  }

  /**
   * Closes the socket. Clients of the compatible and the market data dialect reconnect only after a
   * connection that ended without a close frame; clients that use only the streaming dialect
   * receive the reason.
   */
  #closeSocket(reason: CloseReason, code: number, text: string = reason): void {
    this.#closing ??= reason;
    const isStreaming = this.#dialects.size === 1 && this.#dialects.has(streaming);
    if (isStreaming) this.socket.close(code, text);
    else this.socket.terminate();
  }
}

function replayEnded(): SocketError {
  return new SocketError('NOT_SUBSCRIBED', 'the replay ended before it answered');
}

const goingAwayCode = 1001;
const policyViolationCode = 1008;
const tryAgainLaterCode = 1013;
