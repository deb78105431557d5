/**
 * The WebSockets of the service: admission, heartbeats, publication and shutdown. Pass the server
 * to `listen` among its sockets, then call `start` with the listener.
 *
 * ```ts
 * const sockets = new SocketServer({ book, directory, readiness, ... });
 * const listener = await listen({ host, port, handler, sockets, onFault });
 * sockets.start(listener);
 * ```
 */
import { LIMITS } from '../../config/limits.js';
import type { ReadAccounts, ReadWallet } from '../../contract/account-source.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import type { ClientGate } from '../../contract/client-gate.js';
import type { MarketChanges } from '../../contract/feed-engine.js';
import type { Readiness } from '../../contract/feed-status.js';
import type { MarketStreamSource } from '../../contract/history-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import type { EndedTurn } from '../../contract/publish-mark.js';
import type { ReplaySource } from '../../contract/replay-source.js';
import { requireUpgrade, SocketQuota } from '../admission/admission.js';
import type { ClientAddresses } from '../admission/client-addresses.js';
import { ReplayQuota } from '../admission/replay-quota.js';
import { TopicQuota } from '../admission/topic-quota.js';
import { SocketCounts, type SocketStats } from '../metrics/socket-metrics.js';
import type { ClientSocket, SocketHandlers, SocketSession } from '../transport/client-socket.js';
import { ServerError } from '../transport/errors.js';
import { errorReply, type HttpRequest, type Reply } from '../transport/reply.js';
import type { Listener } from '../transport/uws.js';
import { BookTopics, type BookTopicsOptions } from './book-topics.js';
import { EarlyMessages } from './early-messages.js';
import { HeartbeatShards, reconnectAfterMs } from './heartbeat.js';
import { HistoryTopics } from './history-topics.js';
import { Publisher, type PublisherOptions } from './publisher.js';
import { Session } from './session.js';
import { StreamTopics } from './stream-topics.js';
import { type SummarySource, type SummaryTopics, summaryTopics } from './summary-topics.js';
import { UserTopics } from './user-topics.js';

/** The parts and settings of the WebSockets. */
export interface SocketServerOptions
  extends Pick<PublisherOptions, 'timers' | 'onPublished' | 'sliceMs'>,
    Omit<BookTopicsOptions, 'publisher'> {
  readonly directory: MarketDirectory;
  readonly readiness: () => Readiness;
  /** Reads accounts that the book does not hold; without it, they are unknown. */
  readonly readAccounts?: ReadAccounts;
  /** Reads which accounts a wallet has; without it, it has those of the book. */
  readonly readWallet?: ReadWallet;
  /** Candles and trades; without a history, subscriptions to them fail with NO_HISTORY. */
  readonly history?: MarketStreamSource | undefined;
  /** The statistics of all markets; without them, their channels are unknown. */
  readonly summaries?: SummarySource;
  /** Replays; without them, subscriptions to the past fail with NO_JOURNAL. */
  readonly replays?: ReplaySource | undefined;
  /** Maximum sockets of one address; 0 for no limit. */
  readonly socketsPerIp: number;
  readonly topicsPerSocket: number;
  /** Maximum topics of one address; 0 for no limit. */
  readonly topicsPerIp: number;
  /** Maximum topics of all sockets, not counting the common topics of each market. */
  readonly topicsMax: number;
  /** Maps addresses to clients for the quotas; by default no proxy is trusted. */
  readonly addresses?: ClientAddresses;
  readonly messagesPerSecond: number;
  /** Number of messages that a socket may send in a burst; at least `messagesPerSecond`. */
  readonly messageBurst: number;
  readonly onFault: (error: unknown, where: string) => void;
  /** Maximum number of sockets; by default the service's limit. */
  readonly socketsMax?: number;
  /** A turn's time budget for messages; by default the service's limit. */
  readonly messageSliceMs?: number;
}

/** All WebSockets of one listener. */
export class SocketServer implements SocketHandlers, ClientGate {
  readonly paths = ['/ws', '/v1/ws', '/dlob/ws', '/data/ws'];
  /** Keeps the order of turns and frames. */
  readonly publisher: Publisher;
  readonly #options: SocketServerOptions;
  readonly #books: BookTopics;
  readonly #streams: StreamTopics;
  readonly #users: UserTopics;
  readonly #market: HistoryTopics | null;
  readonly #summaries: SummaryTopics | null;
  readonly #topicQuota: TopicQuota;
  readonly #replayQuota: ReplayQuota;
  readonly #early: EarlyMessages;
  readonly #counts = new SocketCounts();
  readonly #sessions = new Set<Session>();
  readonly #socketQuota: SocketQuota;
  readonly #heartbeats: HeartbeatShards;
  /** Sessions with full sockets that have not left their topics yet. */
  readonly #behind: Session[] = [];
  #listener: Pick<Listener, 'publish'> | undefined;
  #closing = false;
  /** Whether clients are drained to another process. */
  #isAway = false;
  /** Pending while drained clients are closing. */
  #leaving: Promise<void> | null = null;
  /** The markets at the last turn. */
  #markets: readonly MarketInfo[] = [];

  constructor(options: SocketServerOptions) {
    const { book, directory, timers, history, topicsMax, summaries } = options;
    const publish = (topic: string, bytes: string | Uint8Array): void =>
      this.#publishToTopic(topic, bytes);
    this.#options = options;
    const { socketsMax = LIMITS.socketsMax } = options;
    this.#socketQuota = new SocketQuota({ ...options, what: 'WebSockets', socketsMax });
    this.#topicQuota = new TopicQuota(options);
    this.#replayQuota = new ReplayQuota(options.addresses);
    this.#early = new EarlyMessages(options);
    this.#heartbeats = new HeartbeatShards(timers, publish);
    const publisher = new Publisher({ ...options, publish });
    this.publisher = publisher;
    this.#books = new BookTopics({ ...options, publisher });
    this.#streams = new StreamTopics({ book, directory, publisher, topicsMax });
    const onOthers = (): void => this.#addNewMarkets();
    const users = new UserTopics({ ...options, publisher, onOthers });
    this.#users = users;
    this.#market = history === undefined ? null : new HistoryTopics(history, publisher, users);
    this.#summaries = summaries === undefined ? null : summaryTopics(summaries, publisher);
  }

  /** Starts publishing through a listener. */
  start(listener: Pick<Listener, 'publish'>): void {
    this.#listener = listener;
    this.#heartbeats.start();
    this.#streams.start();
    this.#users.start();
  }

  /** Handles subscriptions that were queued before the first live book. */
  handleEarlyMessages(): void {
    this.#early.handleAll();
  }

  /** After each turn of the engine. */
  publishTurn(turn: EndedTurn<MarketChanges>): void {
    if (this.#closing) return;
    const markets = this.#options.directory.markets();
    const isOther = markets !== this.#markets;
    this.#markets = markets;
    if (isOther) {
      const rows = new Map(markets.map((row) => [row.id, row]));
      for (const session of this.#sessions) session.endRenamed(rows);
    }
    this.#streams.addTurn(turn);
    this.#books.addTurn(turn.changes);
    this.#users.addTurn();
    this.publisher.publishTurn();
    if (isOther) this.#addNewMarkets();
  }

  #addNewMarkets(): void {
    for (const session of this.#sessions) session.addNewMarkets();
  }

  readStats(): SocketStats {
    const ringBytes = this.#streams.ringBytes + this.#users.ringBytes;
    const open = { sockets: this.#sessions.size, topics: this.#topicQuota.topicCount, ringBytes };
    return this.#counts.readStats(open, this.publisher.readStats());
  }

  checkUpgrade(request: HttpRequest): Reply | null {
    try {
      requireUpgrade(request, this.#closing);
      if (this.#isAway || this.#leaving !== null)
        throw new ServerError('NOT_READY', 'this edge lets no client in now');
      this.#socketQuota.requireRoom(request.ip);
      return null;
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      this.#counts.outcomes.countRefusal(error.code);
      return errorReply(error);
    }
  }

  openSession(socket: ClientSocket): SocketSession {
    const session = new Session(socket, {
      ...this.#options,
      books: this.#books,
      streams: this.#streams,
      users: this.#users,
      market: this.#market,
      summaries: this.#summaries,
      early: this.#early,
      quota: this.#topicQuota,
      replayQuota: this.#replayQuota,
      counts: this.#counts,
      heartbeatTopic: this.#heartbeats.assignTopic(),
      onBehind: (behind) => void this.#behind.push(behind),
      onClosed: (closed) => this.#removeSession(closed),
    });
    this.#sessions.add(session);
    this.#socketQuota.addSocket(socket.ip);
    return session;
  }

  /**
   * Sends every client its waiting frames and the delay before reconnecting, then closes all
   * sockets. Resolves when all are closed; a client that does not read is cut after a second.
   */
  async close(): Promise<void> {
    this.#closing = true;
    this.#heartbeats.stop();
    this.#early.stop();
    this.#streams.stop();
    this.#users.stop();
    this.publisher.stop();
    this.#market?.stop();
    await this.#closeSessions();
  }

  /** Closes all clients like {@link SocketServer.close} and drops their topics; the service continues. */
  async drainClients(): Promise<void> {
    this.#isAway = true;
    this.#leaving ??= this.#emptySockets().finally(() => {
      this.#leaving = null;
    });
    await this.#leaving;
  }

  /** Waits until drained clients are closed. */
  acceptClients(): void {
    this.#isAway = false;
  }

  async #emptySockets(): Promise<void> {
    await this.#closeSessions();
    this.publisher.finishMark();
    this.#streams.forgetTopics();
    this.#users.forgetTopics();
  }

  async #closeSessions(): Promise<void> {
    const leaving = [...this.#sessions];
    if (leaving.length === 0) return;
    for (const session of leaving) session.announceShutdown(reconnectAfterMs());
    const { timers } = this.#options;
    const deadlineMs = timers.nowMs() + LIMITS.socketDrainMsMax;
    while (leaving.some((session) => this.#sessions.has(session))) {
      const late = timers.nowMs() >= deadlineMs;
      for (const session of leaving) {
        if (!this.#sessions.has(session)) continue;
        if (late || session.socket.bufferedBytes() === 0) session.closeForShutdown();
      }
      // The wait also follows the last frame, because clients answer the close frame, and a cut
      // would lose that answer.
      await new Promise<void>((resolve) => timers.after(LIMITS.socketDrainPollMs, resolve));
    }
  }

  /**
   * Sockets that dropped a frame leave their topics before the next frame is published. They cannot
   * leave earlier: the transport does not allow it while it publishes.
   */
  #publishToTopic(topic: string, bytes: string | Uint8Array): void {
    this.#detachBehind();
    this.#listener?.publish(topic, bytes);
    this.#detachBehind();
  }

  #detachBehind(): void {
    if (this.#behind.length === 0) return;
    for (const session of this.#behind.splice(0)) session.leaveTopics();
  }

  #removeSession(session: Session): void {
    this.#sessions.delete(session);
    this.#socketQuota.removeSocket(session.socket.ip);
  }
}
