/**
 * The sockets of the makers that quote: who may come in, one connection a maker, the beat, and the
 * orderly end.
 *
 * Of two connections of one maker the newer stays, once it has signed: the older one is often a line
 * that was cut without either side noticing, and must not lock its maker out.
 */
import { LIMITS } from '../../config/limits.js';
import { isPublicKey } from '../../config/public-key.js';
import type { Readiness } from '../../contract/feed-status.js';
import type { QuoteSink } from '../../contract/indicative.js';
import { OpenSockets } from '../admission/open-sockets.js';
import { splitQuery } from '../api/param-check.js';
import { QuoteCounts, type QuoteSocketStats } from '../metrics/quotes-metrics.js';
import type { BookSource } from '../ports/book-source.js';
import { quoted, ServerError } from '../transport/errors.js';
import { errorReply, type HttpRequest, type Reply } from '../transport/reply.js';
import { requireSize } from '../transport/request-size.js';
import type { ClientSocket, SocketHandlers, SocketSession } from '../transport/ws-socket.js';
import { QuoteSession, type QuoteSessionParts } from './quotes-session.js';

/** The parts and settings of the makers' sockets. */
export interface QuoteServerOptions {
  readonly book: Pick<BookSource, 'markets'>;
  /** Absent where quotes are not taken, as in a replay: nobody is on the list then. */
  readonly sink: QuoteSink | undefined;
  /** Keys (base58) of those who may quote. */
  readonly quoteMakers: readonly string[];
  readonly readiness: () => Readiness;
  /** Sockets of one address, loopback excepted. */
  readonly socketsPerIp: number;
  readonly onFault: (error: unknown, where: string) => void;
  /** The limits of the service by default. */
  readonly socketsMax?: number;
  readonly signMsMax?: number;
  readonly messagesPerSecond?: number;
  readonly heartbeatMs?: number;
}

const beat = '{"channel":"heartbeat"}';

/** All sockets of makers of one listener. */
export class QuoteServer implements SocketHandlers {
  readonly paths = ['/quotes/ws', '/v1/quotes/ws'];
  readonly messageBytesMax = LIMITS.quoteMessageBytesMax;
  readonly #options: QuoteServerOptions;
  readonly #parts: QuoteSessionParts;
  readonly #counts = new QuoteCounts();
  readonly #sessions = new Set<QuoteSession>();
  readonly #open: OpenSockets;
  /** The sessions that have signed, one a maker. */
  readonly #signed = new Map<string, QuoteSession>();
  #timer: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(options: QuoteServerOptions) {
    this.#options = options;
    const { socketsPerIp, socketsMax = LIMITS.quoteSocketsMax } = options;
    this.#open = new OpenSockets({ what: 'sockets of makers', socketsMax, socketsPerIp });
    const { sink = noSink, readiness, onFault } = options;
    const makers = new Set(options.sink === undefined ? [] : options.quoteMakers);
    this.#parts = {
      ...{ sink, readiness, onFault, counts: this.#counts },
      marketOf: (marketType, marketIndex) => this.#marketOf(marketType, marketIndex),
      isMaker: (key) => makers.has(key),
      signMsMax: options.signMsMax ?? LIMITS.quoteSignMsMax,
      messagesPerSecond: options.messagesPerSecond ?? LIMITS.quoteMessagesPerSecond,
      onSigned: (session) => this.#takeOver(session),
      onClosed: (session) => this.#closed(session),
    };
  }

  /** Begins the beat. */
  start(): void {
    const { heartbeatMs = LIMITS.quoteHeartbeatMs } = this.#options;
    this.#timer = setInterval(() => {
      for (const session of this.#signed.values()) session.beat(beat);
    }, heartbeatMs).unref();
  }

  figures(): QuoteSocketStats {
    return this.#counts.readStats({ sockets: this.#sessions.size, makers: this.#signed.size });
  }

  upgrade(request: HttpRequest): Reply | null {
    try {
      requireSize(request);
      const refusal = this.#open.refusal(request, this.#closing);
      if (refusal !== undefined) throw new ServerError(...refusal);
      makerOf(request.query);
      return null;
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      this.#counts.refused(error.code);
      return errorReply(error);
    }
  }

  opened(socket: ClientSocket, query: string): SocketSession {
    const session = new QuoteSession(socket, makerOf(query), this.#parts);
    this.#sessions.add(session);
    this.#open.opened(socket.ip);
    return session;
  }

  /** Tells every maker when to come again, and closes its socket. */
  close(): void {
    this.#closing = true;
    clearInterval(this.#timer);
    const { reconnectAfterMsMin: min, reconnectAfterMsMax: max } = LIMITS;
    for (const session of [...this.#sessions]) {
      session.announceEnd(Math.round(min + Math.random() * (max - min)));
      session.end();
    }
  }

  #marketOf(marketType: 'perp' | 'spot', marketIndex: number): number | undefined {
    const markets = this.#options.book.markets();
    return markets.find(
      (market) => market.marketIndex === marketIndex && market.marketType === marketType,
    )?.id;
  }

  #takeOver(session: QuoteSession): void {
    const before = this.#signed.get(session.maker);
    this.#signed.set(session.maker, session);
    before?.replace();
  }

  #closed(session: QuoteSession): void {
    this.#sessions.delete(session);
    if (this.#signed.get(session.maker) === session) this.#signed.delete(session.maker);
    this.#open.closed(session.socket.ip);
  }
}

/** The key that the query names. Throws a ServerError when there is none, or it is no key. */
function makerOf(query: string): string {
  const key = splitQuery(query, { pubkey: true }).get('pubkey');
  if (key === undefined) {
    throw new ServerError('MISSING_PARAM', 'pubkey is missing, must be a base58 key', 'pubkey');
  }
  if (isPublicKey(key)) return key;
  const message = `pubkey was "${quoted(key)}", must be a base58 key of 32 bytes`;
  throw new ServerError('INVALID_PARAM', message, 'pubkey');
}

const noSink: QuoteSink = { set: () => 'invalidMaker' };
