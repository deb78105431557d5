/**
 * One client: the answers to what it sends, and its subscriptions. Nothing that it sends throws here;
 * what is wrong with it is an answer.
 */
import { LIMITS } from '../../config/limits.js';
import type { Readiness } from '../../contract/feed-status.js';
import type { TopicQuota } from '../admission/ws-quota.js';
import { MessageRate } from '../admission/ws-rate.js';
import type { CloseReason, SocketCounts } from '../metrics/socket-metrics.js';
import { SocketError } from '../transport/ws-error.js';
import type { ClientSocket, CloseCause, SocketSession } from '../transport/ws-socket.js';
import { Delivery } from './ws-delivery.js';
import { type ChannelParts, type Dialect, dialectOf } from './ws-dialect.js';
import { ClientMessage } from './ws-message.js';
import type { Action } from './ws-reader.js';

/** What all sessions share, and what the beat of this one is published under. */
export interface SessionParts extends ChannelParts {
  readonly readiness: () => Readiness;
  readonly quota: TopicQuota;
  readonly counts: SocketCounts;
  readonly messagesPerSecond: number;
  readonly slowMsMax: number;
  readonly beatTopic: string;
  readonly onFault: (error: unknown, where: string) => void;
  /** The session is to leave its topics before anything else is published. */
  readonly onBehind: (session: Session) => void;
  readonly onClosed: (session: Session) => void;
}

/** The session of one socket. */
export class Session implements SocketSession {
  readonly #delivery: Delivery;
  readonly #rate: MessageRate;
  #closing: CloseReason | undefined;
  #farewell: NodeJS.Timeout | undefined;

  constructor(
    readonly socket: ClientSocket,
    private readonly parts: SessionParts,
  ) {
    const { counts, beatTopic, slowMsMax } = parts;
    this.#rate = new MessageRate(parts.messagesPerSecond, performance.now());
    this.#delivery = new Delivery({
      ...{ socket, counts, beatTopic, slowMsMax },
      onBehind: () => parts.onBehind(this),
      onTooSlow: () => this.#closeSlow(),
      onTooMuch: () => this.#close('slowReader', tryAgainLaterCode, 'slow reader'),
      onFailed: (error, { key, errorMembers }) => {
        if (!this.#delivery.has(key)) parts.quota.release(socket.ip, key);
        this.#refuse(error, undefined, errorMembers);
      },
    });
  }

  message(text: string | null): void {
    if (!this.#mayGoOn()) return;
    const message = text === null ? undefined : ClientMessage.read(text);
    try {
      if (message !== undefined) this.#answer(message);
      else throw malformed('a message must be a JSON object in a text frame');
    } catch (error) {
      this.#refuse(error, message, errorMembers(message));
    }
  }

  /** The transport answers a ping; it counts as a message all the same. */
  pinged(): void {
    this.#mayGoOn();
  }

  drained(): void {
    if (this.#closing === undefined) this.#delivery.drained();
    else if (this.#closing === 'slowReader') this.#sayFarewell();
  }

  dropped(): void {
    this.#delivery.dropped();
  }

  closed(cause: CloseCause): void {
    clearTimeout(this.#farewell);
    this.#giveBack();
    this.parts.counts.countClose(cause === 'server' ? (this.#closing ?? 'internal') : cause);
    this.parts.onClosed(this);
  }

  /** Leaves all topics because the socket is full; see {@link SessionParts.onBehind}. */
  leaveTopics(): void {
    this.#delivery.leaveTopics();
  }

  /** A topic is no more. */
  topicEnded(key: string): void {
    if (!this.#end(key)) return;
    const error = new SocketError('UNKNOWN_MARKET', 'the market is no longer served');
    this.#refuse(error, undefined, { topic: key });
  }

  /** Announces the end of the service; {@link Session.end} follows. */
  announceEnd(reconnectAfterMs: number): void {
    this.#send({ type: 'closing', reconnectAfterMs });
  }

  end(): void {
    this.#close('shutdown', goingAwayCode);
  }

  #mayGoOn(): boolean {
    const verdict = this.#rate.take(performance.now());
    if (verdict === 'allowed') return this.#closing === undefined;
    const message = `more than ${this.parts.messagesPerSecond} messages a second`;
    if (verdict === 'refused')
      this.#refuse(new SocketError('RATE_LIMITED', message), undefined, {});
    else this.#close('rateLimited', policyViolationCode, message);
    return false;
  }

  #answer(message: ClientMessage): void {
    const type = message.word('type');
    if (type === 'ping') {
      this.#send({ type: 'pong', id: message.id, ts: Date.now() });
      return;
    }
    if (type !== 'subscribe' && type !== 'unsubscribe') {
      throw malformed('type must be subscribe, unsubscribe or ping');
    }
    const dialect = dialectOf(message);
    if (dialect === undefined) throw malformed('channel is missing');
    if (!this.parts.readiness().everLive) {
      throw new SocketError('NOT_READY', 'no book has been live yet');
    }
    if (type === 'subscribe') this.#subscribe(dialect, message);
    else this.#unsubscribe(dialect, message);
  }

  /** A topic that is subscribed to already is acknowledged and shown once more. */
  #subscribe(dialect: Dialect, message: ClientMessage): void {
    const { quota } = this.parts;
    const { key, open } = dialect.wish(message, this.parts);
    const isNew = !this.#delivery.has(key);
    if (isNew) this.#take(key);
    try {
      const reader = open();
      this.#acknowledge(dialect.acknowledgement('subscribe', message, { key, parts: this.parts }));
      if (this.#closing === undefined) this.#delivery.begin(reader);
      else reader.leave();
    } catch (error) {
      if (!this.#delivery.has(key)) quota.release(this.socket.ip, key);
      throw error;
    }
    if (isNew && !this.#delivery.has(key)) quota.release(this.socket.ip, key);
  }

  #take(key: string): void {
    const { topicsPerSocketMax } = LIMITS;
    if (this.#delivery.size >= topicsPerSocketMax) {
      const message = `a socket may have ${topicsPerSocketMax} subscriptions`;
      throw new SocketError('LIMIT_EXCEEDED', message);
    }
    this.parts.quota.take(this.socket.ip, key);
  }

  #unsubscribe(dialect: Dialect, message: ClientMessage): void {
    const key = dialect.keyOf(message, this.parts);
    if (!this.#end(key)) {
      throw new SocketError('NOT_SUBSCRIBED', 'there is no such subscription on this socket');
    }
    const asked = { key, parts: this.parts };
    this.#acknowledge(dialect.acknowledgement('unsubscribe', message, asked));
  }

  #acknowledge(answer: object | undefined): void {
    if (answer !== undefined) this.#send(answer);
  }

  #end(key: string): boolean {
    if (!this.#delivery.end(key)) return false;
    this.parts.quota.release(this.socket.ip, key);
    return true;
  }

  /** The id is that of the message, or among the members where it was sent before. */
  #refuse(error: unknown, message: ClientMessage | undefined, members: object): void {
    const { counts, onFault } = this.parts;
    if (!(error instanceof SocketError)) onFault(error, 'a message of a WebSocket');
    const { code, message: text } =
      error instanceof SocketError ? error : new SocketError('INTERNAL', 'this failed here');
    counts.countError(code);
    const id = message === undefined ? {} : { id: message.id };
    this.#send({ ...members, type: 'error', code, message: text, ...id });
  }

  /** Members that are undefined are left out. */
  #send(answer: object): void {
    if (this.#closing === undefined) this.#delivery.answer(JSON.stringify(answer));
  }

  #giveBack(): void {
    for (const key of this.#delivery.close()) this.parts.quota.release(this.socket.ip, key);
  }

  /** The close can be said only when the client has read what waits; for that it has some time. */
  #closeSlow(): void {
    if (this.#closing !== undefined) return;
    this.#closing = 'slowReader';
    this.#giveBack();
    const { slowFarewellMsMax } = LIMITS;
    this.#farewell = setTimeout(() => this.socket.cut(), slowFarewellMsMax).unref();
    this.#sayFarewell();
  }

  #sayFarewell(): void {
    if (this.socket.bufferedBytes() > 0) return;
    this.socket.close(tryAgainLaterCode, 'slow reader');
  }

  #close(reason: CloseReason, code: number, text: string = reason): void {
    this.#closing ??= reason;
    this.socket.close(code, text);
  }
}

const goingAwayCode = 1001;
const policyViolationCode = 1008;
const tryAgainLaterCode = 1013;

function malformed(message: string): SocketError {
  return new SocketError('MALFORMED_MESSAGE', message);
}

/** What an error says about the subscription that a message was about. */
function errorMembers(message: ClientMessage | undefined): object {
  const type = message?.word('type');
  if (message === undefined || !isAction(type)) return {};
  return dialectOf(message)?.errorMembers(type, message) ?? {};
}

function isAction(type: string | undefined): type is Action {
  return type === 'subscribe' || type === 'unsubscribe';
}
