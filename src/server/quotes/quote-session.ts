/**
 * The session of one maker: a challenge, which proves that the maker has its private key, then
 * quotes. No message of a maker makes this code throw: a faulty message gets an error reply, and
 * closes the socket if the maker has not yet signed.
 *
 * When the socket closes, its quotes are withdrawn, because a disconnected maker cannot update
 * them.
 */
import { createPublicKey, type KeyObject, randomBytes, verify } from 'node:crypto';
import { publicKeyBytes } from '../../config/public-key.js';
import type { QuoteSink } from '../../contract/indicative.js';
import type { Timer, Timers } from '../../contract/timers.js';
import { MessageLimiter } from '../admission/admission.js';
import type { QuoteCloseReason, QuoteCounts } from '../metrics/quotes-metrics.js';
import { ClientMessage, type MessageId, replyText } from '../sockets/client-message.js';
import type { ClientSocket, CloseCause, SocketSession } from '../transport/client-socket.js';
import { SocketError } from '../transport/errors.js';
import { type QuoteTakerParts, takeQuotes } from './take-quotes.js';

/** Dependencies shared by all sessions. */
export interface QuoteSessionParts extends QuoteTakerParts {
  readonly isMaker: (key: string) => boolean;
  readonly counts: QuoteCounts;
  readonly timers: Timers;
  readonly signMsMax: number;
  readonly messagesPerSecond: number;
  readonly onFault: (error: unknown, where: string) => void;
  readonly onSigned: (session: QuoteSession) => void;
  readonly onClosed: (session: QuoteSession) => void;
}

/** The session of one socket. */
export class QuoteSession implements SocketSession {
  readonly #parts: QuoteSessionParts;
  readonly #nonce = newNonce();
  readonly #messageLimiter: MessageLimiter;
  /** The markets that this socket has quoted. */
  readonly #quoted = new Set<number>();
  /**
   * Records the market before the book has its quotes, so that quotes in flight are also withdrawn.
   */
  readonly #sink: QuoteSink = {
    setQuotes: (set) => {
      this.#quoted.add(set.market);
      return this.#parts.sink.setQuotes(set);
    },
  };
  #isSigned = false;
  #closing: QuoteCloseReason | undefined;
  #deadline: Timer | undefined;

  constructor(
    readonly socket: ClientSocket,
    readonly maker: string,
    parts: QuoteSessionParts,
  ) {
    this.#parts = parts;
    this.#messageLimiter = new MessageLimiter(
      { perSecond: parts.messagesPerSecond },
      parts.timers.nowMs(),
    );
  }

  onOpen(): void {
    const { isMaker, timers, signMsMax } = this.#parts;
    if (!isMaker(this.maker)) {
      this.#refuseMaker('pubkey is not on the list of makers');
      return;
    }
    const late = `no signature within ${signMsMax} ms`;
    this.#deadline = timers.after(signMsMax, () => this.#refuseMaker(late));
    this.#sendReply({ channel: 'auth', nonce: this.#nonce });
  }

  onMessage(text: string | null): void {
    if (!this.#admitMessage()) return;
    const message = text === null ? undefined : ClientMessage.parse(text);
    if (!this.#isSigned) {
      this.#verifySignature(message);
      return;
    }
    this.#handleMessage(message).catch((error: unknown) => this.#sendError(error, message?.id));
  }

  /** The transport answers the ping; the ping still counts as a message. */
  onPing(): void {
    this.#admitMessage();
  }

  onDrain(): void {}

  onDropped(): void {}

  onClose(cause: CloseCause): void {
    this.#deadline?.cancel();
    const reason = cause === 'server' ? (this.#closing ?? 'internal') : cause;
    this.#closing ??= reason;
    this.#parts.counts.outcomes.countClose(reason);
    if (reason !== 'replaced') this.#withdrawQuotes();
    this.#parts.onClosed(this);
  }

  /** Closes this socket because another socket of the same maker has signed. */
  closeAsReplaced(): void {
    this.#sendErrorOn(
      'auth',
      new SocketError('LIMIT_EXCEEDED', 'another connection has taken over'),
    );
    this.#closeSocket('replaced', policyViolationCode);
  }

  /** Closes this socket, the oldest unsigned one, to admit another socket. */
  closeAsCrowdedOut(): void {
    const text = 'too many sockets have not signed yet; retry later';
    this.#sendErrorOn('auth', new SocketError('LIMIT_EXCEEDED', text));
    this.#closeSocket('crowdedOut', tryAgainLaterCode);
  }

  sendHeartbeat(text: string): void {
    if (this.#isSigned && this.#closing === undefined) this.#sendText(text);
  }

  /** Announces the end of the service; {@link QuoteSession.cutForShutdown} follows. */
  announceShutdown(reconnectAfterMs: number): void {
    this.#sendReply({ type: 'closing', reconnectAfterMs });
  }

  /**
   * Cuts the connection without a close frame: driftpy's client takes a clean close for its own
   * close, and then pauses for a minute.
   */
  cutForShutdown(): void {
    this.#deadline?.cancel();
    this.#closing ??= 'shutdown';
    this.socket.terminate();
  }

  #admitMessage(): boolean {
    const isAllowed = this.#messageLimiter.admitMessage(this.#parts.timers.nowMs(), {
      refuse: (error) => this.#sendError(error, undefined),
      close: (reason) => this.#closeSocket('rateLimited', policyViolationCode, reason),
    });
    return isAllowed && this.#closing === undefined;
  }

  #verifySignature(message: ClientMessage | undefined): void {
    const signature = message?.getValue('signature');
    const isMeant = message?.getValue('pubkey') === this.maker && typeof signature === 'string';
    if (!isMeant || !isSigned(this.maker, this.#nonce, signature)) {
      this.#refuseMaker(
        'the nonce must be answered by {pubkey, signature}, the signature in base64',
      );
      return;
    }
    this.#deadline?.cancel();
    this.#isSigned = true;
    this.#parts.onSigned(this);
    this.#sendReply({ channel: 'auth', message: 'Authenticated' });
  }

  /** Rejects for any defect of the message. */
  async #handleMessage(message: ClientMessage | undefined): Promise<void> {
    if (message === undefined) {
      const rule = 'a message must be a JSON object in a text frame';
      throw new SocketError('MALFORMED_MESSAGE', rule);
    }
    const { id } = message;
    if (message.getWord('type') === 'ping') {
      this.#sendReply({ type: 'pong', id, ts: this.#parts.timers.unixMs() });
      return;
    }
    const parts = { ...this.#parts, sink: this.#sink };
    this.#parts.counts[await takeQuotes({ message, maker: this.maker }, parts)] += 1;
    if (id !== undefined) this.#sendReply({ channel: 'quotes', type: 'quoted', id });
  }

  #withdrawQuotes(): void {
    for (const market of this.#quoted) {
      this.#withdrawMarket(market).catch((error: unknown) => {
        // The core that holds the book is unreachable; the quotes expire after a second as usual.
        if (error instanceof SocketError) return;
        this.#parts.onFault(error, 'the quotes of a closed socket');
      });
    }
    this.#quoted.clear();
  }

  async #withdrawMarket(market: number): Promise<void> {
    await this.#parts.sink.setQuotes({ market, maker: this.maker, quotes: [] });
  }

  #refuseMaker(message: string): void {
    this.#sendErrorOn('auth', new SocketError('UNAUTHORIZED', message));
    this.#closeSocket('unauthorized', policyViolationCode);
  }

  #sendError(error: unknown, id: MessageId | undefined): void {
    if (!(error instanceof SocketError)) this.#parts.onFault(error, 'a message of quotes');
    const known =
      error instanceof SocketError
        ? error
        : new SocketError('INTERNAL', 'the message failed unexpectedly');
    this.#sendErrorOn('quotes', known, id);
  }

  #sendErrorOn(channel: 'auth' | 'quotes', { code, message }: SocketError, id?: MessageId): void {
    this.#parts.counts.outcomes.countError(code);
    this.#sendReply({ channel, type: 'error', code, message, id });
  }

  /** Undefined members are omitted. */
  #sendReply(answer: object): void {
    if (this.#closing === undefined) this.#sendText(replyText(answer));
  }

  /** Sends a text; cuts the connection of a client that keeps sending and never reads. */
  #sendText(text: string): void {
    if (this.socket.send(text) || this.#closing !== undefined) return;
    this.#closing = 'slowReader';
    this.socket.terminate();
  }

  #closeSocket(reason: QuoteCloseReason, code: number, text: string = reason): void {
    this.#deadline?.cancel();
    this.#closing ??= reason;
    this.socket.close(code, text);
  }
}

const policyViolationCode = 1008;
const tryAgainLaterCode = 1013;

/**
 * Returns the challenge that a maker signs. The text names its purpose, so the signature is useless
 * elsewhere.
 */
function newNonce(): string {
  return `slotbook quotes ${randomBytes(NONCE_BYTES).toString('hex')}`;
}

const NONCE_BYTES = 32;

/** Returns whether a base64 signature of a challenge was made by the key (base58). */
function isSigned(key: string, nonce: string, signature: string): boolean {
  if (!SIGNATURE.test(signature)) return false;
  return verify(null, Buffer.from(nonce), keyObject(key), Buffer.from(signature, 'base64'));
}

/** 64 bytes. */
const SIGNATURE = /^[A-Za-z0-9+/]{86}==$/;

function keyObject(key: string): KeyObject {
  const x = Buffer.from(publicKeyBytes(key)).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
