import type { Core } from '#addon';
import type {
  AuctionsRequest,
  L2Request,
  L3Request,
  MatchRequest,
  OrderbookFrameRequest,
  TopMakersRequest,
} from '../contract/book-requests.js';
import type { MarketVersion } from '../contract/book-source.js';
import type { ChainStats, MarketInfo } from '../contract/markets.js';
import type {
  FrameTimes,
  TopicDelta,
  TopicSnapshotRequest,
  TopicSpec,
} from '../contract/topics.js';
import { Bodies } from './bodies.js';
import { parseChainStats, parseMarkets, parseStats, parseStrings } from './parse.js';
import { Streams } from './streams.js';
import { TurnReport } from './turn-report.js';
import type { EngineStats } from './types.js';

/** What is asked of the book between two turns. Nothing here changes what it shows. */
export abstract class EngineReads {
  /** What the last turn did. */
  protected readonly report = new TurnReport();
  readonly #bodies: Bodies;
  readonly #streams: Streams;
  #markets: readonly MarketInfo[] = [];
  #marketsOf = -1;

  protected constructor(protected readonly core: Core) {
    this.#bodies = new Bodies(core);
    this.#streams = new Streams(core);
  }

  /** All markets, in the order of their ids. The same array until one of them changes. */
  markets(): readonly MarketInfo[] {
    const { marketSet } = this.report;
    if (this.#marketsOf !== marketSet) {
      this.#markets = parseMarkets(this.core.markets());
      this.#marketsOf = marketSet;
    }
    return this.#markets;
  }

  /** The market of a name in any case, as of the last turn. */
  findMarket(name: string): MarketInfo | undefined {
    const id = this.core.findMarket(name);
    return id < 0 ? undefined : this.markets()[id];
  }

  /**
   * What statistics take from the book, by market id, as of now. It changes without a new version of
   * any body, and is made anew at each call.
   */
  readChainStats(): readonly ChainStats[] {
    return parseChainStats(this.core.marketFigures());
  }

  /** The accounts of the oracles that markets name. */
  oracleKeys(): readonly string[] {
    return parseStrings(this.core.oracleKeys());
  }

  /** The finished /l2 body: a view on the engine's own buffer, valid until the next body. */
  l2(request: L2Request): Uint8Array {
    return this.#bodies.l2(request);
  }

  /** The finished /l3 body: a view on the engine's own buffer, valid until the next body. */
  l3(request: L3Request): Uint8Array {
    return this.#bodies.l3(request);
  }

  /** The finished /auctions body: a view as well. */
  auctions(request: AuctionsRequest): Uint8Array {
    return this.#bodies.auctions(request);
  }

  /**
   * The finished frame of the compatible order book channel: the channel's name, and the /l2 body
   * as a JSON text. A view on the engine's own buffer, valid until the next body.
   */
  orderbookFrame(request: OrderbookFrameRequest): Uint8Array {
    return this.#bodies.orderbookFrame(request);
  }

  /** The finished /match body, what an order would get that is sent now: a view as well. */
  match(request: MatchRequest): Uint8Array {
    return this.#bodies.match(request);
  }

  /** The name of a streaming topic, which its frames repeat: other topics have other names. */
  topicName(spec: TopicSpec): string {
    return this.#streams.name(spec);
  }

  /**
   * Opens a topic; its first publication is the book of now. `recvNs` is when the newest part of
   * that book came in. Answers the handle, which is good until {@link Engine.closeTopic}.
   */
  openTopic(spec: TopicSpec, recvNs?: bigint): number {
    return this.#streams.open(spec, recvNs);
  }

  closeTopic(handle: number): void {
    this.#streams.close(handle);
  }

  /** Publishes what has changed since a topic's last publication; null when nothing has. */
  topicDelta(handle: number, times?: FrameTimes): TopicDelta | null {
    return this.#streams.delta(handle, times);
  }

  /** The snapshot of a topic's last publication: the next delta links to it. A view, as bodies. */
  topicSnapshot(handle: number, answer: TopicSnapshotRequest): Uint8Array {
    return this.#streams.snapshot(handle, answer);
  }

  /** The slot and the state of now, and the seq of a topic's last publication. A view as well. */
  topicHeartbeat(handle: number): Uint8Array {
    return this.#streams.heartbeat(handle);
  }

  /** The user accounts (base58) whose orders stand best on a side, each once, best first. */
  topMakers(request: TopMakersRequest): readonly string[] {
    return this.#bodies.topMakers(request);
  }

  /** The version that bodies of this market would show now. */
  version(market: number): MarketVersion {
    return this.#bodies.version(market);
  }

  stats(): EngineStats {
    return parseStats(this.core.stats());
  }

  /** A hash of everything shown: equal for equal books. */
  stateHash(): bigint {
    return this.core.stateHash();
  }

  /** The invariant of the book that does not hold; null when all do. Slow: for tests and audits. */
  checkIntegrity(): string | null {
    return this.core.checkIntegrity();
  }
}
