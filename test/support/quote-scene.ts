import type { TurnChanges } from '../../src/contract/feed-engine.js';
import type { Readiness } from '../../src/contract/feed-status.js';
import { Engine } from '../../src/engine/engine.js';
import { QuoteIntake } from '../../src/feed/quote-intake.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { QuoteServer } from '../../src/server/quotes/quote-server.js';
import { createHandlers } from '../../src/server/routes/http.js';
import { SocketServer } from '../../src/server/sockets/socket-server.js';
import { publishAll } from '../../src/server/testing/market-changes.js';
import { type Listener, listen } from '../../src/server/transport/uws.js';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { MarketSimulator } from '../../src/sim/market/market-simulator.js';

const SLOT = 1_000;

/** A level as /l2 has it. */
interface SceneLevel {
  readonly price: string;
  readonly size: string;
  readonly sources: Readonly<Record<string, string>>;
}

/** The body of /l2, as far as these tests look at it. */
export interface SceneBook {
  readonly seq: number;
  readonly bids: readonly SceneLevel[];
  readonly asks: readonly SceneLevel[];
}

/** A book in which only makers' quotes change, served like the service does. */
export class QuoteScene {
  #planned: NodeJS.Immediate | null = null;

  private constructor(
    readonly engine: Engine,
    private readonly parts: {
      readonly door: QuoteIntake;
      readonly makers: QuoteServer;
      readonly sockets: SocketServer;
      readonly listener: Listener;
    },
  ) {}

  /** Starts it with the keys of its makers. */
  static async start(quoteMakers: readonly string[]): Promise<QuoteScene> {
    const engine = new Engine({ programId: PROGRAM_ID, epoch: 'e1' });
    engine.turnLog.start();
    const life = new MarketSimulator({ seed: 7, makers: 30 });
    const clock = { slot: SLOT, unixSeconds: Math.floor(Date.now() / 1_000) };
    engine.setClock(clock.slot, clock.unixSeconds);
    engine.setState('live');
    // Oracles are known by the markets that name them, so all is pushed once more.
    for (const { pubkey, owner, data } of [
      ...life.createGenesis(clock),
      ...life.createGenesis(clock),
    ]) {
      const text = data.toString('base64');
      engine.push({ pubkey, owner, slot: SLOT, data: text, encoding: 'base64' });
    }
    engine.endTurn(Date.now());
    const scene: { it?: QuoteScene } = {};
    const faults = (error: unknown): never => {
      throw error;
    };
    const readiness = (): Readiness => ({
      ...{ everLive: true, state: 'live', reason: null, slot: SLOT },
    });
    const door = new QuoteIntake({
      engine,
      requestTurn: () => scene.it?.requestTurn(),
      timers: systemTimers,
    });
    const common = {
      book: engine,
      directory: engine,
      readiness,
      socketsPerIp: 100,
      onFault: faults,
    };
    const makers = new QuoteServer({ timers: systemTimers, ...common, quoteMakers, sink: door });
    const sockets = new SocketServer({
      timers: systemTimers,
      ...{ ...common, publishIntervalMs: 0 },
      ...{ topicsPerIp: 500, messagesPerSecond: 100, messageBurst: 1 },
      ...{ topicsPerSocket: 64, topicsMax: 2_000 },
    });
    const handlers = createHandlers({
      timers: systemTimers,
      ...{
        book: engine,
        directory: engine,
        readiness,
        build: { name: 'slotbook', version: '0', commit: '' },
      },
      feed: () => ({ slotAgeMs: 0, events: {} }),
    });
    const address = { host: '127.0.0.1', port: 0 };
    const servers = { handler: handlers.main, sockets: [sockets, makers] };
    const listener = await listen({
      timers: systemTimers,
      ...address,
      ...servers,
      onFault: faults,
    });
    sockets.start(listener);
    makers.start();
    scene.it = new QuoteScene(engine, { door, makers, sockets, listener });
    return scene.it;
  }

  /** Sockets of makers that another of the same maker has taken the place of. */
  get replaced(): number {
    return this.parts.makers.readStats().closes['replaced'] ?? 0;
  }

  /** Where makers quote. */
  get url(): string {
    return `http://127.0.0.1:${this.parts.listener.port}`;
  }

  get quotesUrl(): string {
    return `ws://127.0.0.1:${this.parts.listener.port}/quotes/ws`;
  }

  /** Ends a turn once in a turn of the loop, as the feed does. */
  requestTurn(): void {
    this.#planned ??= setImmediate(() => {
      this.#planned = null;
      const turn: TurnChanges = this.engine.endTurn(Date.now());
      publishAll(this.parts.sockets, turn);
    });
  }

  async get<Body>(path: string): Promise<Body> {
    const response = await fetch(`${this.url}${path}`);
    return (await response.json()) as Body;
  }

  /** The book of SOL-PERP with its quotes. */
  book(query = '&includeIndicative=true'): Promise<SceneBook> {
    return this.get(`/l2?marketName=SOL-PERP&depth=1000${query}`);
  }

  /** The levels of both sides that have quotes, as price and size of the quotes. */
  async quoted(query?: string): Promise<Record<'bids' | 'asks', readonly (readonly string[])[]>> {
    const { bids, asks } = await this.book(query);
    const of = (levels: readonly SceneLevel[]) =>
      levels.flatMap(({ price, sources: { indicative } }) =>
        indicative === undefined ? [] : [[price, indicative]],
      );
    return { bids: of(bids), asks: of(asks) };
  }

  async stop(): Promise<void> {
    this.parts.door.stop();
    this.parts.makers.close();
    await this.parts.sockets.close();
    this.parts.listener.close();
    if (this.#planned !== null) clearImmediate(this.#planned);
  }
}
