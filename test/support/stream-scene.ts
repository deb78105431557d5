/** The WebSockets of a real engine with a seeded scenario, on a loopback port. */
import { expect } from 'vitest';
import { Engine } from '../../src/engine/engine.js';
import { PublishMarks } from '../../src/feed/model/publish-marks.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { SocketServer, type SocketServerOptions } from '../../src/server/sockets/socket-server.js';
import { type Listener, listen } from '../../src/server/transport/uws.js';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { type AccountWrite, MarketSimulator } from '../../src/sim/market/market-simulator.js';
import type { LevelRow, ModelBook } from './model-book.js';
import { ModelClient } from './model-client.js';
import type { SceneJournal } from './scene-journal.js';

const START_SLOT = 350_000_000;
const START_S = 1_750_000_000;
/** Turns in a slot of this scene's chain. */
const TURNS_PER_SLOT = 8;

/** The options of a scene. */
interface StreamSceneOptions extends Partial<SocketServerOptions> {
  readonly seed?: number;
  readonly makers?: number;
  /** Milliseconds between two turns, by which marks go as well; without it the ends of turns are one apart, and marks go by the clock. */
  readonly turnMs?: number;
  /** Records the turns; the scene stops it. */
  readonly journal?: SceneJournal;
}

/** A service without a feed: it moves when it is told to. */
export class StreamScene {
  readonly #clients: ModelClient[] = [];
  readonly #marks: PublishMarks;
  readonly #journal: SceneJournal | undefined;
  readonly #turnMs: number;
  readonly faults: unknown[] = [];
  readonly feed = { everLive: true };
  /** Turns of the engine so far. */
  turns = 0;

  private constructor(
    readonly engine: Engine,
    readonly life: MarketSimulator,
    readonly sockets: SocketServer,
    readonly listener: Listener,
    { turnMs, journal }: StreamSceneOptions,
  ) {
    this.#turnMs = turnMs ?? 1;
    this.#journal = journal;
    const timers =
      turnMs === undefined ? systemTimers : { ...systemTimers, nowMs: () => this.nowMs };
    const onDue = (): void => this.#endTurn();
    this.#marks = new PublishMarks({ timers, streamIntervalMs: 0, onDue });
  }

  static async start(options: StreamSceneOptions = {}): Promise<StreamScene> {
    const { seed = 20_261_121, makers = 60, turnMs: _, journal, ...settings } = options;
    const engine = new Engine({ programId: PROGRAM_ID, epoch: 'e1' });
    journal?.attach(engine);
    engine.setState('live');
    const life = new MarketSimulator({ seed, makers });
    const scene: { it?: StreamScene } = {};
    const onFault = (error: unknown): void => void scene.it?.faults.push(error);
    const sockets = new SocketServer({
      timers: systemTimers,
      book: engine,
      directory: engine,
      readiness: () => ({
        everLive: scene.it?.feed.everLive ?? true,
        ...{ state: 'live', reason: null, slot: 1 },
      }),
      ...{ publishIntervalMs: 0, topicsPerIp: 500, socketsPerIp: 3 },
      ...{ topicsPerSocket: 1_024, topicsMax: 8_000, messageBurst: 1 },
      messagesPerSecond: 10_000,
      // On a machine that is held up a frame would come with a later turn than its own.
      sliceMs: 60_000,
      messageSliceMs: 60_000,
      onFault,
      ...(journal === undefined ? {} : { replays: journal.replays }),
      ...settings,
    });
    const handler = () => ({ status: 404, headers: [], body: '{}' });
    const listener = await listen({
      timers: systemTimers,
      host: '127.0.0.1',
      port: 0,
      handler,
      sockets: [sockets],
      onFault,
    });
    sockets.start(listener);
    scene.it = new StreamScene(engine, life, sockets, listener, options);
    scene.it.turn(life.createGenesis(scene.it.clock));
    return scene.it;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.listener.port}/ws`;
  }

  get clock(): { readonly slot: number; readonly unixSeconds: number } {
    const slots = Math.floor(this.turns / TURNS_PER_SLOT);
    return { slot: START_SLOT + slots, unixSeconds: START_S + Math.floor(slots * 0.4) };
  }

  /** The time that the last turn ended with. */
  get nowMs(): number {
    return START_S * 1_000 + this.turns * this.#turnMs;
  }

  async open(): Promise<ModelClient> {
    const client = await ModelClient.open(this.url);
    this.#clients.push(client);
    return client;
  }

  /** One turn of the engine. */
  turn(writes: readonly AccountWrite[]): void {
    this.turns += 1;
    const { slot, unixSeconds } = this.clock;
    this.sockets.publisher.finishMark();
    this.engine.setClock(slot, unixSeconds);
    for (const { pubkey, owner, data } of writes) {
      const text = data.toString('base64');
      this.engine.push({ pubkey, owner, slot, data: text, encoding: 'base64' });
    }
    this.#endTurn();
  }

  #endTurn(): void {
    this.sockets.publisher.finishMark();
    const changes = this.engine.endTurn(this.nowMs);
    const mark = this.#marks.takeMark(changes);
    this.#journal?.endTurn(mark);
    this.sockets.publishTurn({ changes, mark, receivedAtMs: systemTimers.nowMs() });
  }

  /** Continues the scenario for some turns of one step each. */
  live(turns: number): void {
    for (let turn = 0; turn < turns; turn += 1) this.turn(this.life.nextWrites(this.clock));
  }

  /** The levels that /l2 shows now for a `book` topic. */
  levels(topic: string): { bids: LevelRow[]; asks: LevelRow[] } {
    const [, market = '', depth, ...others] = topic.split(':');
    const id = this.engine.findMarket(market)?.id ?? -1;
    const group = others.find((part) => /^g\d/.test(part)) ?? 'g1';
    const body = this.engine.l2({
      ...{ market: id, depth: Number(depth), grouping: Number(group.slice(1)) },
      ...{ vamm: others.includes('vamm'), indicative: others.includes('indicative') },
    });
    const { bids, asks } = JSON.parse(Buffer.from(body).toString());
    return { bids: bids.map(rowOf), asks: asks.map(rowOf) };
  }

  /** The content of /l3 or /l2 for a topic, and a reader's book, in comparable form. */
  bothOf(book: ModelBook): { readonly shown: unknown; readonly read: unknown } {
    const [channel, market = '', depth, maker] = book.topic.replace(/:binary$/, '').split(':');
    const id = this.engine.findMarket(market)?.id ?? -1;
    if (channel === 'book') return { shown: this.levels(book.topic), read: book.levels };
    if (channel === 'bbo') {
      const { bids, asks } = this.levels(book.topic.replace(`bbo:${market}`, `book:${market}:1`));
      const bare = (rows: readonly LevelRow[]) => rows.map(([price, size]) => [price, size, {}]);
      return { shown: { bids: bare(bids), asks: bare(asks) }, read: book.levels };
    }
    const body = this.engine.l3({
      ...{ market: id, depth: Number(depth) },
      ...(maker === undefined ? {} : { maker }),
    });
    const { bids, asks } = JSON.parse(Buffer.from(body).toString());
    return { shown: { bids, asks }, read: book.orders };
  }

  async closeClients(): Promise<void> {
    for (const client of this.#clients.splice(0)) await client.close();
  }

  async stop(): Promise<void> {
    await this.closeClients();
    this.#marks.stop();
    await this.sockets.close();
    this.listener.close();
    await this.#journal?.stop();
  }
}

/** Checks that each book of a client equals the service's, and that the client found no fault. */
export async function expectShown(scene: StreamScene, client: ModelClient): Promise<void> {
  await client.settle();
  expect(client.faults).toEqual([]);
  for (const book of client.books.values()) {
    const { shown, read } = scene.bothOf(book);
    expect(read, `${book.topic} at ${scene.turns}`).toEqual(shown);
  }
}

interface L2Row {
  readonly price: string;
  readonly size: string;
  readonly sources: Record<string, string>;
}

function rowOf({ price, size, sources }: L2Row): LevelRow {
  return [price, size, sources];
}
