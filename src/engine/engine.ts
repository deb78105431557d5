import { type Core, decodeSnapshot } from '@slotbook/core';
import type {
  AccountProblem,
  AccountSnapshot,
  RawAccount,
  SnapshotReport,
} from '../contract/accounts.js';
import type {
  AuctionsRequest,
  L2Request,
  L3Request,
  MatchRequest,
  OrderbookFrameRequest,
  TopMakersRequest,
} from '../contract/book-requests.js';
import type { BookSource, MarketVersion } from '../contract/book-source.js';
import type { Census, FeedEngine, QuoteEngine, UserPage } from '../contract/feed-engine.js';
import type { FeedState } from '../contract/feed-status.js';
import type { IndicativeOutcome, IndicativePolicy, MakerQuotes } from '../contract/indicative.js';
import type { ChainStats, MarketInfo } from '../contract/markets.js';
import type {
  FrameTimes,
  TopicDelta,
  TopicSnapshotRequest,
  TopicSpec,
} from '../contract/topics.js';
import { createCore, readOpenOrders } from './core.js';
import { DecodedSnapshot, decodedSnapshot } from './decoded-snapshot.js';
import { EngineError, type EngineErrorCode } from './errors.js';
import { type ExternalLevels, setExternalLevels } from './external-levels.js';
import { outcomeOf, packQuotes } from './indicative.js';
import type { JournalReader, JournalStep, JournalUntil } from './journal-reader.js';
import { MarketHashes } from './market-hashes.js';
import { matchOptions, refusalOf } from './match.js';
import { OutputBuffer } from './output-buffer.js';
import { parseChainStats, parseMarkets, parseProblems, parseStats, parseStrings } from './parse.js';
import { RecordBatch } from './record-batch.js';
import { RefusedAccounts } from './refused-accounts.js';
import { sourceBits } from './sources.js';
import { TopicFrames } from './topic-frames.js';
import { marketNotFound, topicName } from './topics.js';
import { TurnLog } from './turn-log.js';
import { joinTurns, TurnReport } from './turn-report.js';
import type { EngineStats, EngineTurn } from './types.js';

/** By the state codes of the core. */
const STATES = ['rebuilding', 'live', 'lagging', 'stale'] as const satisfies FeedState[];

/** By the side codes of the core. */
const SIDES = ['bid', 'ask'] as const;

/**
 * The native order book behind typed calls: account texts in, finished bodies out.
 *
 * Everything between two calls of {@link Engine.endTurn} is one turn. Bodies are read between
 * turns, never inside one: end the turn after each part of a snapshot as well. Nothing here waits,
 * but {@link Engine.decodeSnapshot}, which works on another thread.
 *
 * This room knows no URL and keeps no time; what is in the book, and at which price, the core decides.
 */
export class Engine implements FeedEngine, QuoteEngine, BookSource {
  /** What moves the book, for a journal. */
  readonly turnLog: TurnLog;
  /** What its markets hold, as hashes. */
  readonly hashes: MarketHashes;
  readonly #core: Core;
  readonly #batch = new RecordBatch();
  readonly #refused = new RefusedAccounts();
  /** What the last turn did. */
  readonly #report = new TurnReport();
  /** The part of the present turn that had to end early; undefined when none had. */
  #earlyTurn: EngineTurn | undefined;
  #tsMs = 0;
  readonly #body = OutputBuffer.ofBodies();
  readonly #topics: TopicFrames;
  readonly #version = new Float64Array(4);
  readonly #versionBytes = Buffer.from(this.#version.buffer);
  #epoch: string;
  #state: FeedState = 'rebuilding';
  #finishMark: () => void = () => undefined;
  #turn = 0;
  /** The parts of the snapshot that is being applied; undefined outside of one. */
  #snapshotParts: Set<DecodedSnapshot> | undefined;
  #markets: readonly MarketInfo[] = [];
  /** The `marketSet` of the report that `#markets` is of. */
  #marketsOf = -1;

  constructor(options: { readonly programId: string; readonly epoch: string }) {
    this.#core = createCore(options);
    this.turnLog = new TurnLog(this.#core);
    this.hashes = new MarketHashes(this.#core);
    this.#topics = new TopicFrames(this.#core);
    this.#epoch = options.epoch;
  }

  /** Names this run on this chain; every body carries it. */
  get epoch(): string {
    return this.#epoch;
  }

  /** Grows with everything that may change a body or the markets: the same turn, the same bodies. */
  get turn(): number {
    return this.#turn;
  }

  /** How fresh the source is, as every body says. */
  get state(): FeedState {
    return this.#state;
  }

  /** Sets what is called before each change of the book: it makes the rest of the frames of the last mark. */
  guardInput(finishMark: () => void): void {
    this.#finishMark = finishMark;
  }

  /** The source is another chain: from now on no body or version of the epoch before is current. */
  setEpoch(epoch: string): void {
    this.#finishMark();
    this.#turn += 1;
    this.#core.setEpoch(epoch);
    this.#epoch = epoch;
  }

  setState(state: FeedState): void {
    this.#finishMark();
    this.#turn += 1;
    this.#state = state;
    this.#core.setState(STATES.indexOf(state));
  }

  /** Adds an account to this turn. {@link Engine.endTurn} reports what is wrong with it. */
  push(account: RawAccount): void {
    this.#addToBatch(account.pubkey, () => this.#batch.addAccount(account));
  }

  /** Adds to this turn that an account is gone. */
  pushClosed(pubkey: string, slot: number): void {
    this.#addToBatch(pubkey, () => this.#batch.addClosed(pubkey, slot));
  }

  /** Moves the chain's time, after what was pushed before. */
  setClock(slot: number, unixSeconds: number): void {
    this.#applyBatch();
    this.#core.setClock(slot, unixSeconds);
  }

  /** At the start indicative quotes join the top of the book. */
  setIndicativePolicy(policy: IndicativePolicy): void {
    this.#turn += 1;
    this.#core.setIndicativeImprove(policy === 'improve');
  }

  /** Replaces a maker's indicative quotes of a market. They show when the turn has ended. */
  setIndicative({ market, maker, quotes, tsMs }: MakerQuotes): IndicativeOutcome {
    return outcomeOf(this.#core.setIndicative(market, maker, packQuotes(quotes), tsMs));
  }

  /** No quote expires before this; a turn that ends then removes what is due. Null without quotes. */
  indicativeDueMs(): number | null {
    return this.#core.indicativeDueMs();
  }

  /** Makes the next step of a journal, which alone moves this engine then. */
  readJournal(reader: JournalReader, until?: JournalUntil): JournalStep {
    this.#finishMark();
    const kind = reader.readInto({ core: this.#core, report: this.#report }, until);
    this.#turn += 1;
    // A turn may begin another epoch, before the head of the next segment names it.
    this.#epoch = this.#core.epochName();
    // Each market has the state of the book; without one there is nothing to be read of it.
    if (this.#core.version(0, this.#versionBytes)) this.#state = this.version(0).state;
    this.#marketsOf = kind === 'turn' ? this.#marketsOf : -1;
    if (kind !== 'turn') return { kind };
    const turn = this.#report.readCountedTurn(`${this.#epoch} ${this.#state}`);
    return { kind, turn, mark: reader.mark() };
  }

  /** Replaces what external venues offer in a spot market: takers meet it, no book shows it. */
  setExternalLevels(market: number, levels: ExternalLevels): void {
    this.#turn += 1;
    setExternalLevels(this.#core, market, levels);
  }

  /** Applies what was pushed and returns what changed. `tsMs` is the time that bodies carry. */
  endTurn(tsMs: number): EngineTurn {
    this.#finishMark();
    this.#turn += 1;
    this.#tsMs = tsMs;
    const { buffer, length } = this.#batch;
    const report = this.#report;
    const words = this.#core.endTurn(buffer, length, tsMs, report.bytes);
    this.#batch.clear();
    if (words < 0) {
      const message = `turn report needs ${-words} words, has ${report.length}`;
      throw new EngineError('REPORT_BYTES_EXCEEDED', message, { words: -words });
    }
    const problemCount = report.problemCount + this.#refused.count;
    const problems = this.#takeProblems(report.problemCount);
    const stamp = `${this.#epoch} ${this.#state}`;
    const turn = report.readTurn({ words, stamp, problemCount, problems });
    const early = this.#earlyTurn;
    this.#earlyTurn = undefined;
    return early === undefined ? turn : joinTurns(early, turn);
  }

  /**
   * Decodes the body of getProgramAccounts (asked with context), or of getMultipleAccounts when
   * its keys are given. The body must not change until the promise settles.
   */
  async decodeSnapshot(body: Uint8Array, keys: readonly string[] = []): Promise<AccountSnapshot> {
    const packed = await decodeSnapshot(body, [...keys]);
    const code = packed.failureCode as EngineErrorCode | null;
    if (code !== null) {
      throw new EngineError(code, packed.failureMessage ?? code, { bytes: body.length });
    }
    return new DecodedSnapshot(packed);
  }

  /** Starts a snapshot: {@link Engine.applySnapshot} in parts, then {@link Engine.endSnapshot}. */
  beginSnapshot(snapshot: Pick<AccountSnapshot, 'slot'>): void {
    this.#applyBatch();
    this.#core.beginSnapshot(snapshot.slot);
    this.#snapshotParts = new Set();
  }

  /** Applies `count` accounts from index `from` on; returns how many there were. */
  applySnapshot(snapshot: AccountSnapshot, from: number, count: number): number {
    const decoded = decodedSnapshot(snapshot);
    this.#applyBatch();
    this.#snapshotParts?.add(decoded);
    return this.#core.applySnapshot(decoded.packed, from, count);
  }

  /** Ends a snapshot: removes the users that it did not hold from the book, and frees its parts. */
  endSnapshot(): SnapshotReport {
    this.#applyBatch();
    const report = this.#report;
    this.#core.endSnapshot(report.bytes);
    for (const part of this.#snapshotParts ?? []) part.packed.release();
    this.#snapshotParts = undefined;
    const word = (index: number): number => report.wordAt(index);
    return { seen: word(0), added: word(1), changed: word(2), removed: word(3) };
  }

  /** All markets, in the order of their ids. The same array until one of them changes. */
  markets(): readonly MarketInfo[] {
    const { marketSet } = this.#report;
    if (this.#marketsOf !== marketSet) {
      this.#markets = parseMarkets(this.#core.markets());
      this.#marketsOf = marketSet;
    }
    return this.#markets;
  }

  /** The market of a name in any case, as of the last turn. */
  findMarket(name: string): MarketInfo | undefined {
    const id = this.#core.findMarket(name);
    return id < 0 ? undefined : this.markets()[id];
  }

  /**
   * What statistics take from the book, by market id, as of now. It changes without a new version of
   * any body, and each call returns a new array.
   */
  readChainStats(): readonly ChainStats[] {
    return parseChainStats(this.#core.chainStats());
  }

  /** The accounts of the oracles that markets name. */
  oracleKeys(): readonly string[] {
    return parseStrings(this.#core.oracleKeys());
  }

  /** The accounts of a snapshot that the book, as of the last turn, has in an older state or not. */
  lackingAccounts(snapshot: AccountSnapshot): readonly string[] {
    return parseStrings(this.#core.lacking(decodedSnapshot(snapshot).packed));
  }

  /** The accounts that the book has and a snapshot of them has not, though it is later than their last write. */
  goneAccounts(snapshot: AccountSnapshot): readonly string[] {
    return parseStrings(this.#core.gone(decodedSnapshot(snapshot).packed));
  }

  /** The accounts of the program in a snapshot. */
  foundAccounts(snapshot: AccountSnapshot): readonly string[] {
    return parseStrings(this.#core.foundAccounts(decodedSnapshot(snapshot).packed));
  }

  /** At most `count` users with open orders, from the place where the page before ended. */
  usersWithOrders(from: number, count: number): UserPage {
    return this.#core.usersWithOrders(from, count);
  }

  /** What the exchange's accounts say of its users, and how many accounts are held. */
  readCensus(): Census {
    return this.#core.census();
  }

  /** The finished /l2 body: a view on the engine's own buffer, valid until the next body. */
  l2({ market, depth, grouping = 0, uncross, binary = false, ...others }: L2Request): Uint8Array {
    const core = this.#core;
    const sources = sourceBits(others);
    return this.#renderBody(market, (out) =>
      uncross
        ? core.uncrossedL2(market, depth, grouping, sources, binary, out)
        : core.l2(market, depth, grouping, sources, binary, out),
    );
  }

  /** The finished /l3 body: a view as well. */
  l3({ market, depth = 0, maker = '', uncross, binary = false, ...others }: L3Request): Uint8Array {
    const core = this.#core;
    const sources = sourceBits(others);
    return this.#renderBody(market, (out) =>
      uncross
        ? core.uncrossedL3(market, depth, maker, sources, binary, out)
        : core.l3(market, depth, maker, sources, binary, out),
    );
  }

  /** The finished /auctions body: a view as well. */
  auctions({ market }: AuctionsRequest): Uint8Array {
    return this.#renderBody(market, (out) => this.#core.auctions(market, out));
  }

  /**
   * The finished frame of the compatible order book channel: the channel's name, and the /l2 body
   * as a JSON text. A view as well.
   */
  orderbookFrame(request: OrderbookFrameRequest): Uint8Array {
    const { market, depth, grouping = 0, ...others } = request;
    const sources = sourceBits(others);
    return this.#renderBody(market, (out) =>
      this.#core.orderbookFrame(market, depth, grouping, sources, out),
    );
  }

  /** The finished /match body, what an order would get that is sent now: a view as well. */
  match(request: MatchRequest): Uint8Array {
    const core = this.#core;
    const options = matchOptions(request);
    return this.#renderBody(
      request.market,
      (out) => core.matchOrder(options, out),
      () => refusalOf(core, options),
    );
  }

  /** The user accounts (base58) whose orders are best on a side, each once, best first. */
  topMakers({ market, side, limit }: TopMakersRequest): readonly string[] {
    const makers = this.#core.topMakers(market, SIDES.indexOf(side), limit);
    if (makers === null) throw marketNotFound(market);
    return parseStrings(makers);
  }

  /** The finished body of /user/{account}/orders. */
  openOrders(account: string): string {
    return readOpenOrders(this.#core, account);
  }

  /** Whether there is a user account with this key (base58). */
  hasUser(key: string): boolean {
    return this.#core.hasUser(key);
  }

  /** The version that bodies of this market would show now. */
  version(market: number): MarketVersion {
    if (!this.#core.version(market, this.#versionBytes)) throw marketNotFound(market);
    const [seq = 0, slot = 0, state = 0, auctions = 0] = this.#version;
    return { seq, slot, state: STATES[state] ?? 'stale', auctions };
  }

  /** The name of a streaming topic, which its frames repeat: other topics have other names. */
  topicName(spec: TopicSpec): string {
    return topicName(this.#core, spec);
  }

  /**
   * Opens a topic; its first publication is the book of now. `recvNs` is when the newest part of
   * that book was received. Returns the handle, which is valid until {@link Engine.closeTopic}.
   */
  openTopic(spec: TopicSpec, recvNs = 0n): number {
    return this.#topics.openTopic(spec, recvNs);
  }

  closeTopic(handle: number): void {
    this.#topics.closeTopic(handle);
  }

  /** Publishes what has changed since a topic's last publication; null when nothing has. */
  topicDelta(handle: number, times?: FrameTimes): TopicDelta | null {
    return this.#topics.renderDelta(handle, times);
  }

  /** The snapshot of a topic's last publication: the next delta links to it. A view, as bodies. */
  topicSnapshot(handle: number, request: TopicSnapshotRequest): Uint8Array {
    return this.#topics.renderSnapshot(handle, request);
  }

  /** The slot and the state of now, and the seq of a topic's last publication. A view as well. */
  topicHeartbeat(handle: number): Uint8Array {
    return this.#topics.renderHeartbeat(handle);
  }

  stats(): EngineStats {
    return parseStats(this.#core.stats());
  }

  /** A hash of everything shown: equal for equal books. */
  stateHash(): bigint {
    return this.#core.stateHash();
  }

  /** The invariant of the book that does not hold; null when all do. Slow: for tests and audits. */
  checkIntegrity(): string | null {
    return this.#core.checkIntegrity();
  }

  /** `findRefusal` says why a market that exists has no body; when it does not, the maker is invalid. */
  #renderBody(
    market: number,
    write: (out: Buffer) => number,
    findRefusal?: () => EngineError | undefined,
  ): Uint8Array {
    const body = this.#body.renderView(write);
    if (body.length > 0) return body;
    // A body is requested by market and, in /l3, by maker: when the market exists it is the maker.
    if (!this.#core.version(market, this.#versionBytes)) throw marketNotFound(market);
    throw (
      findRefusal?.() ??
      new EngineError('INVALID_MAKER', 'maker was not a base58 key of 32 bytes', { market })
    );
  }

  #addToBatch(pubkey: string, write: () => boolean): void {
    try {
      if (write()) return;
      // Applied without the end of a turn, it would be read under the number of the book before it.
      this.#earlyTurn = this.endTurn(this.#tsMs);
      write();
    } catch (error) {
      this.#refused.addRefusal(pubkey, error);
    }
  }

  #applyBatch(): void {
    // Every caller is about to change the book.
    this.#finishMark();
    this.#turn += 1;
    if (this.#batch.length === 0) return;
    this.#core.apply(this.#batch.buffer, this.#batch.length);
    this.#batch.clear();
  }

  #takeProblems(inCore: number): readonly AccountProblem[] {
    const refused = this.#refused.takeProblems();
    return inCore === 0 ? refused : [...refused, ...parseProblems(this.#core.takeProblems())];
  }
}
