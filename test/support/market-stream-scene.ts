/**
 * A store on disk with real WebSockets, without the worker between them: subscribers of candles and
 * trades receive the stored data.
 */

import type {
  HistoryStats,
  MarketFrame,
  MarketStreamSource,
} from '../../src/contract/history-source.js';
import type { MarketKey } from '../../src/contract/markets.js';
import { bucketReader } from '../../src/history/candles/read-candles.js';
import type { HistoryMarket } from '../../src/history/model/records.js';
import type { HistoryStore } from '../../src/history/store/store.js';
import {
  cleanUp,
  type Fill,
  fill,
  newStore,
  signature,
  transaction,
} from '../../src/history/store/testing.js';
import { Streams } from '../../src/history/streams/streams.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { liveFigures } from '../../src/server/testing/fake-history.js';
import { type Probe, SocketScene } from './socket-scene.js';

/** The markets of `FakeBook`, as the history knows them. */
const markets: Readonly<Partial<Record<MarketKey, HistoryMarket>>> = {
  perp_0: { key: 'perp_0', symbol: 'SOL-PERP', marketType: 'perp', marketIndex: 0, decimals: 9 },
  spot_1: { key: 'spot_1', symbol: 'SOL', marketType: 'spot', marketIndex: 1, decimals: 6 },
};

/** Hands frames over in a later turn of the loop, as a thread does. */
class StoreStreams implements MarketStreamSource {
  readonly streams: Streams;
  #take: (frames: readonly MarketFrame[]) => void = () => {};

  constructor(store: HistoryStore) {
    this.streams = new Streams({
      reader: { ...bucketReader(store), readRecords: (page) => store.readRecords(page) },
      marketOf: (key) => markets[key],
      timers: systemTimers,
      chainSeconds: () => Math.floor(Date.now() / 1_000),
      post: (frames) => void setImmediate(() => this.#take(frames)),
      onFault: (error) => {
        throw error;
      },
    });
  }

  join(topic: string): void {
    setImmediate(() => this.streams.joinTopic(topic));
  }

  leave(topic: string): void {
    setImmediate(() => this.streams.leaveTopic(topic));
  }

  onFrames(take: (frames: readonly MarketFrame[]) => void): void {
    this.#take = take;
  }

  readStats(): HistoryStats {
    return liveFigures;
  }
}

/** The scene. */
export class MarketStreamScene {
  #slot = 1_000;

  private constructor(
    private readonly history: HistoryStore,
    private readonly source: StoreStreams,
    private readonly sockets: SocketScene,
  ) {}

  static async start(): Promise<MarketStreamScene> {
    const store = await newStore();
    const source = new StoreStreams(store);
    return new MarketStreamScene(store, source, await SocketScene.start({ history: source }));
  }

  async stop(): Promise<void> {
    await this.sockets.stop();
    this.source.streams.stop();
    cleanUp();
  }

  get url(): string {
    return this.sockets.url;
  }

  open(path = '/ws'): Promise<Probe> {
    return this.sockets.open(path);
  }

  /** Closes all opened sockets. */
  closeProbes(): Promise<unknown> {
    return this.sockets.closeProbes();
  }

  /** Stores a current fill in a new slot; of SOL-PERP by default. */
  fill(parts: Partial<Fill> = {}): Fill {
    const ts = Math.floor(Date.now() / 1_000);
    const stored = { ...fill({ ts, fillRecordId: BigInt(this.#slot + 1), ...parts }) };
    this.store([stored]);
    return stored;
  }

  /** Stores fills of one transaction in a slot of its own. */
  store(fills: readonly Fill[]): void {
    this.#slot += 1;
    const [slot, sent] = [this.#slot, signature(this.#slot)];
    const change = this.history.writeBatch({
      transactions: [transaction({ slot, signature: sent, fills: [...fills] })],
    });
    this.source.streams.publishChange(change);
  }
}
