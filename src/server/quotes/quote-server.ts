/**
 * The sockets of quoting makers: admission, one connection for each maker, heartbeats, and
 * shutdown.
 *
 * When a maker has two connections, the newer connection stays as soon as it has signed: often the
 * older connection was lost unnoticed, and it must not lock out its maker.
 */
import { LIMITS } from '../../config/limits.js';
import { isPublicKey } from '../../config/public-key.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import type { Readiness } from '../../contract/feed-status.js';
import type { OtherMakerSockets, QuoteSink } from '../../contract/indicative.js';
import type { MarketInfo } from '../../contract/markets.js';
import type { Timer, Timers } from '../../contract/timers.js';
import { requireUpgrade } from '../admission/admission.js';
import { ClientAddresses } from '../admission/client-addresses.js';
import { splitQuery } from '../api/param-check.js';
import { QuoteCounts, type QuoteSocketStats } from '../metrics/quotes-metrics.js';
import { heartbeatText, reconnectAfterMs } from '../sockets/heartbeat.js';
import type { ClientSocket, SocketHandlers, SocketSession } from '../transport/client-socket.js';
import { quoteValue, ServerError } from '../transport/errors.js';
import { repeatCall } from '../transport/repeated-call.js';
import { errorReply, type HttpRequest, type Reply } from '../transport/reply.js';
import { QuoteSession, type QuoteSessionParts } from './quote-session.js';
import { UnsignedSockets } from './unsigned-sockets.js';

/** The parts and settings of the makers' sockets. */
export interface QuoteServerOptions {
  readonly directory: Pick<MarketDirectory, 'markets'>;
  /**
   * The sink is absent where quotes are not accepted, as in a replay; the list of makers is then
   * empty.
   */
  readonly sink: QuoteSink | undefined;
  /** Keys (base58) of the permitted makers. */
  readonly quoteMakers: readonly string[];
  readonly readiness: () => Readiness;
  readonly timers: Timers;
  readonly addresses?: ClientAddresses;
  readonly onFault: (error: unknown, where: string) => void;
  readonly others?: OtherMakerSockets | undefined;
  /** By default the service's limits. */
  readonly unsignedMax?: number;
  readonly signMsMax?: number;
  readonly messagesPerSecond?: number;
}

/** All sockets of makers of one listener. */
export class QuoteServer implements SocketHandlers {
  readonly paths = ['/quotes/ws', '/v1/quotes/ws'];
  readonly messageBytesMax = LIMITS.quoteMessageBytesMax;
  readonly #options: QuoteServerOptions;
  readonly #parts: QuoteSessionParts;
  readonly #counts = new QuoteCounts();
  readonly #sessions = new Set<QuoteSession>();
  readonly #unsigned: UnsignedSockets;
  readonly #signed = new Map<string, QuoteSession>();
  #heartbeats: Timer | undefined;
  #closing = false;

  constructor(options: QuoteServerOptions) {
    this.#options = options;
    const { addresses = new ClientAddresses(), unsignedMax = LIMITS.quoteUnsignedMax } = options;
    this.#unsigned = new UnsignedSockets({ addresses, socketsMax: unsignedMax });
    const { sink = noSink, readiness, timers, onFault } = options;
    const makers = new Set(options.sink === undefined ? [] : options.quoteMakers);
    this.#parts = {
      sink,
      readiness,
      timers,
      onFault,
      counts: this.#counts,
      marketOf: (type, index) => marketIdOf(options.directory, type, index),
      isMaker: (key) => makers.has(key),
      signMsMax: options.signMsMax ?? LIMITS.quoteSignMsMax,
      messagesPerSecond: options.messagesPerSecond ?? LIMITS.quoteMessagesPerSecond,
      onSigned: (session) => this.#takeOver(session),
      onClosed: (session) => this.#removeSession(session),
    };
    options.others?.onMakerElsewhere((maker) => this.#signed.get(maker)?.closeAsReplaced());
  }

  start(): void {
    this.#heartbeats = repeatCall(this.#options.timers, LIMITS.quoteHeartbeatMs, () => {
      for (const session of this.#signed.values()) session.sendHeartbeat(heartbeatText);
    });
  }

  readStats(): QuoteSocketStats {
    return this.#counts.readStats({ sockets: this.#sessions.size, makers: this.#signed.size });
  }

  checkUpgrade(request: HttpRequest): Reply | null {
    try {
      requireUpgrade(request, this.#closing);
      this.#unsigned.requireRoom({ ip: request.ip, maker: makerOf(request.query) });
      return null;
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      this.#counts.outcomes.countRefusal(error.code);
      return errorReply(error);
    }
  }

  openSession(socket: ClientSocket, query: string): SocketSession {
    const session = new QuoteSession(socket, makerOf(query), this.#parts);
    this.#sessions.add(session);
    this.#unsigned.addSession(session);
    return session;
  }

  /** Sends every maker the delay before reconnecting, and cuts the connections. */
  close(): void {
    this.#closing = true;
    this.#heartbeats?.cancel();
    for (const session of [...this.#sessions]) {
      session.announceShutdown(reconnectAfterMs());
      session.cutForShutdown();
    }
  }

  #takeOver(session: QuoteSession): void {
    this.#unsigned.removeSession(session);
    const before = this.#signed.get(session.maker);
    this.#signed.set(session.maker, session);
    before?.closeAsReplaced();
    this.#options.others?.announceMaker(session.maker);
  }

  #removeSession(session: QuoteSession): void {
    this.#sessions.delete(session);
    if (this.#signed.get(session.maker) === session) this.#signed.delete(session.maker);
    this.#unsigned.removeSession(session);
  }
}

/** Returns the id of a market; undefined when the market is not served. */
export function marketIdOf(
  directory: Pick<MarketDirectory, 'markets'>,
  marketType: 'perp' | 'spot',
  marketIndex: number,
): number | undefined {
  const isMeant = (market: MarketInfo): boolean =>
    market.marketIndex === marketIndex && market.marketType === marketType;
  return directory.markets().find(isMeant)?.id;
}

/**
 * Returns the maker's key from the query. Throws a ServerError when the key is missing or invalid.
 */
function makerOf(query: string): string {
  const key = splitQuery(query, { pubkey: true }).get('pubkey');
  if (key === undefined) {
    throw new ServerError(
      'MISSING_PARAM',
      'pubkey must be a base58 key of 32 bytes, but is missing',
      'pubkey',
    );
  }
  if (isPublicKey(key)) return key;
  const message = `pubkey was "${quoteValue(key)}", must be a base58 key of 32 bytes`;
  throw new ServerError('INVALID_PARAM', message, 'pubkey');
}

const noSink: QuoteSink = { setQuotes: () => 'invalidMaker' };
