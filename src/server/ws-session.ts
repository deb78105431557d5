/**
 * One client: what it subscribed to, and the answers to what it sends. Nothing that it sends throws
 * here; what is wrong with it is an answer.
 */
import { LIMITS } from '../limits.js';
import type { BookSource, Readiness } from './book-source.js';
import type { FanOut } from './fan-out.js';
import { channels, type TopicSpec } from './ws-channel.js';
import { SocketError } from './ws-error.js';
import type { CloseReason, SocketCounts } from './ws-figures.js';
import { ClientMessage } from './ws-message.js';
import { MessageRate } from './ws-rate.js';
import type { ClientSocket, CloseCause, SocketSession } from './ws-socket.js';
import type { Topic } from './ws-topics.js';

/** What all sessions share. */
export interface SessionParts {
  readonly book: BookSource;
  readonly readiness: () => Readiness;
  readonly fanOut: FanOut;
  readonly counts: SocketCounts;
  readonly messagesPerSecond: number;
  readonly onFault: (error: unknown, where: string) => void;
  readonly onClosed: (session: Session) => void;
}

/** The topic of the beat that tells a quiet subscriber that the service lives. */
export const HEARTBEAT_TOPIC = 'heartbeat';

type Action = 'subscribe' | 'unsubscribe';

/** The texts of the system that clients in use know. */
const errorTexts: Readonly<Record<Action, string>> = {
  subscribe: 'Error subscribing to channel',
  unsubscribe: 'Error unsubscribing from channel',
};

/** The session of one socket. */
export class Session implements SocketSession {
  readonly #topics = new Map<string, Topic>();
  /** Topics whose first book waits until the client has read what it was sent. */
  readonly #owed = new Set<Topic>();
  readonly #rate: MessageRate;
  #closing: CloseReason | undefined;

  constructor(
    readonly socket: ClientSocket,
    private readonly parts: SessionParts,
  ) {
    this.#rate = new MessageRate(parts.messagesPerSecond, performance.now());
  }

  message(text: string | null): void {
    if (!this.#mayGoOn()) return;
    const message = text === null ? undefined : ClientMessage.read(text);
    try {
      if (message !== undefined) this.#answer(message);
      else throw malformed('a message must be a JSON object in a text frame');
    } catch (error) {
      this.#refuse(error, message);
    }
  }

  /** The transport answers a ping; it counts as a message all the same. */
  pinged(): void {
    this.#mayGoOn();
  }

  drained(): void {
    for (const topic of this.#owed) {
      if (this.#isBehind()) return;
      this.#owed.delete(topic);
      try {
        this.#show(this.parts.fanOut.frame(topic));
      } catch (error) {
        this.#refuse(error, undefined);
      }
    }
  }

  dropped(): void {
    this.parts.counts.dropped += 1;
  }

  closed(cause: CloseCause): void {
    for (const topic of this.#topics.values()) this.parts.fanOut.leave(topic);
    this.#topics.clear();
    this.#owed.clear();
    this.parts.counts.closed(cause === 'server' ? (this.#closing ?? 'internal') : cause);
    this.parts.onClosed(this);
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
    if (verdict === 'allowed') return true;
    const message = `more than ${this.parts.messagesPerSecond} messages a second`;
    if (verdict === 'refused') this.#refuse(new SocketError('RATE_LIMITED', message), undefined);
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
    if (message.has('channel')) this.#answerBook(type, message);
    else throw withoutChannel(message);
  }

  #answerBook(type: Action, message: ClientMessage): void {
    const channel = channels.get(message.text('channel').toLowerCase());
    if (channel === undefined) {
      const text = `there is no channel ${message.echo('channel')}`;
      throw new SocketError('UNKNOWN_CHANNEL', text);
    }
    const { book, readiness } = this.parts;
    if (!readiness().everLive) throw new SocketError('NOT_READY', 'no book has been live yet');
    const spec = channel.topicOf(message, book);
    if (type === 'subscribe') this.#subscribe(spec, message);
    else this.#unsubscribe(spec, message);
  }

  /**
   * A topic that is subscribed to already is acknowledged and shown once more. The book waits for a
   * client that is still busy with those before, so that many deep ones at once do not close it.
   */
  #subscribe(spec: TopicSpec, message: ClientMessage): void {
    const before = this.#topics.get(spec.key);
    const topic = before ?? this.#join(spec);
    let frame: Uint8Array;
    try {
      frame = this.parts.fanOut.frame(topic);
    } catch (error) {
      if (before === undefined) this.#leave(topic);
      throw error;
    }
    this.#acknowledge('Subscribe', message);
    if (this.#isBehind()) this.#owed.add(topic);
    else this.#show(frame);
  }

  #show(frame: Uint8Array): void {
    this.socket.send(frame);
    this.parts.counts.frame(frame.length);
  }

  #isBehind(): boolean {
    return this.socket.bufferedBytes() > LIMITS.socketBacklogBytesMax;
  }

  #join(spec: TopicSpec): Topic {
    const { topicsPerSocketMax } = LIMITS;
    if (this.#topics.size >= topicsPerSocketMax) {
      const message = `a socket may have ${topicsPerSocketMax} subscriptions`;
      throw new SocketError('LIMIT_EXCEEDED', message);
    }
    const topic = this.parts.fanOut.join(spec);
    this.#topics.set(spec.key, topic);
    this.socket.join(spec.key);
    if (this.#topics.size === 1) this.socket.join(HEARTBEAT_TOPIC);
    return topic;
  }

  #unsubscribe(spec: TopicSpec, message: ClientMessage): void {
    const topic = this.#topics.get(spec.key);
    if (topic === undefined) {
      throw new SocketError('NOT_SUBSCRIBED', 'there is no such subscription on this socket');
    }
    this.#leave(topic);
    this.#acknowledge('Unsubscribe', message);
  }

  #leave(topic: Topic): void {
    const { key } = topic.spec;
    this.#topics.delete(key);
    this.#owed.delete(topic);
    this.socket.leave(key);
    if (this.#topics.size === 0) this.socket.leave(HEARTBEAT_TOPIC);
    this.parts.fanOut.leave(topic);
  }

  #acknowledge(what: string, message: ClientMessage): void {
    const [channel, market, marketType] = ['channel', 'market', 'marketType'].map((name) =>
      message.echo(name),
    );
    const text = `${what} received for channel: ${channel}, market: ${market}, marketType: ${marketType}`;
    this.#send({ message: text });
  }

  #refuse(error: unknown, message: ClientMessage | undefined): void {
    const { counts, onFault } = this.parts;
    if (!(error instanceof SocketError)) onFault(error, 'a message of a WebSocket');
    const { code, message: text } =
      error instanceof SocketError ? error : new SocketError('INTERNAL', 'this failed here');
    counts.error(code);
    this.#send({
      ...compatibleError(message),
      type: 'error',
      code,
      message: text,
      id: message?.id,
    });
  }

  /** Members that are undefined are left out. */
  #send(answer: object): void {
    this.socket.send(JSON.stringify(answer));
  }

  #close(reason: CloseReason, code: number, text: string = reason): void {
    this.#closing = reason;
    this.socket.close(code, text);
  }
}

const goingAwayCode = 1001;
const policyViolationCode = 1008;

function malformed(message: string): SocketError {
  return new SocketError('MALFORMED_MESSAGE', message);
}

/** Market data goes by symbol; everything else names its channel. */
function withoutChannel(message: ClientMessage): SocketError {
  const isMarketData =
    message.has('channelType') || (message.has('symbol') && message.has('resolution'));
  if (isMarketData) return new SocketError('UNKNOWN_CHANNEL', 'there are no candles here yet');
  return malformed('channel is missing');
}

/** What an error about a channel says beside its code, as clients in use look for it. */
function compatibleError(message: ClientMessage | undefined): object {
  const type = message?.word('type');
  if (message?.has('channel') !== true) return {};
  if (type !== 'subscribe' && type !== 'unsubscribe') return {};
  return { channel: message.echo('channel'), error: errorTexts[type] };
}
