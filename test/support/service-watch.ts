import { WebSocket } from 'ws';
import { expectBooks } from './book-judge.js';
import type { FrameChecker } from './frame-checker.js';
import type { Findings, PublishedBook } from './frame-findings.js';
import type { AccountBytes } from './local-books.js';
import type { ServiceProbe } from './service-probe.js';
import { until } from './until.js';

/** How often each market is asked for over HTTP. */
const POLL_MS = 20;
const HTTP_DEPTH = 1_000;
const SOCKET_DEPTH = 20;

/** A market as its clients name it. */
export interface WatchedMarket {
  readonly name: string;
  readonly kind: 'perp' | 'spot';
}

/** Clients of a service, over HTTP and WebSocket, that show the checker every book they get. */
export class ServiceWatch {
  /** When the chain was whole again, on the clock of performance.now(). */
  returnedAtMs = 0;
  readonly #stopping = new AbortController();
  readonly #polls: Promise<void>;
  readonly #socket: WebSocket;

  private constructor(
    readonly service: ServiceProbe,
    readonly checker: FrameChecker,
    markets: readonly WatchedMarket[],
    socket: WebSocket,
  ) {
    this.#socket = socket;
    socket.on('message', (message: Buffer) => this.#received(message));
    for (const { name, kind } of markets) {
      // The books that are judged are of orders alone.
      const market = { marketType: kind, market: name, depth: SOCKET_DEPTH, includeVamm: false };
      socket.send(JSON.stringify({ type: 'subscribe', channel: 'orderbook', ...market }));
    }
    this.#polls = this.#poll(markets);
  }

  static async start(
    service: ServiceProbe,
    checker: FrameChecker,
    markets: readonly WatchedMarket[],
  ): Promise<ServiceWatch> {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/ws`);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    checker.watchSockets(markets.map(({ name }) => name));
    return new ServiceWatch(service, checker, markets, socket);
  }

  /** The chain is whole again, now. */
  returned(): void {
    this.returnedAtMs = performance.now();
    this.checker.aim(this.returnedAtMs);
  }

  /** Waits until every market has what was written before the return; answers how long it took. */
  async caughtUp(): Promise<number> {
    await until(() => this.checker.caughtUpMs() !== undefined);
    return this.checker.caughtUpMs() ?? 0;
  }

  /** Waits until the book has all that is written, and compares it with a rebuild. */
  async compare(accounts: readonly AccountBytes[]): Promise<void> {
    this.checker.aim(performance.now());
    await this.caughtUp();
    expectBooks(await this.service.read(), accounts);
  }

  /** Accounts that audits found to differ. */
  async differences(): Promise<number> {
    const { text } = await this.service.get('/metrics');
    const events = /^slotbook_feed_events_total\{event="auditDifferences"\} (\d+)$/m.exec(text);
    if (events === null) throw new Error('there is no count of audit differences');
    return Number(events[1]);
  }

  async findings(): Promise<Findings> {
    await this.#end();
    return await this.checker.finish();
  }

  async stop(): Promise<void> {
    await this.#end();
    await this.service.stop();
  }

  async #end(): Promise<void> {
    this.#stopping.abort();
    this.#socket.terminate();
    await this.#polls;
  }

  async #poll(markets: readonly WatchedMarket[]): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      for (const { name } of markets) {
        const body = await this.service.json(`/l2?marketName=${name}&depth=${HTTP_DEPTH}`);
        this.#show(body, name, { via: 'HTTP', depth: HTTP_DEPTH });
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  #received(message: Buffer): void {
    const { channel, data } = JSON.parse(message.toString()) as Record<string, unknown>;
    if (typeof channel !== 'string' || typeof data !== 'string') return;
    const body = JSON.parse(data) as Record<string, unknown>;
    this.#show(body, String(body['marketName']), { via: 'WebSocket', depth: SOCKET_DEPTH });
  }

  #show(body: object, market: string, how: Pick<PublishedBook, 'via' | 'depth'>): void {
    const atMs = performance.now();
    this.checker.published({ ...(body as PublishedBook), ...how, market, atMs });
  }
}
