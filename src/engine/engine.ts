import { type Core, decodeSnapshot } from '@slotbook/core/native';
import type {
  AccountProblem,
  AccountSnapshot,
  LayoutSample,
  RawAccount,
  SnapshotReport,
} from '../contract/accounts.js';
import type { BookLevels } from '../contract/book-levels.js';
import type {
  AuctionsRequest,
  L2Request,
  L3Request,
  LevelsRequest,
  MatchRequest,
  OrderbookFrameRequest,
  TopMakersRequest,
} from '../contract/book-requests.js';
import type { BookSource, MarketVersion } from '../contract/book-source.js';
import type { Census, FeedEngine, QuoteEngine, UserPage } from '../contract/feed-engine.js';
import { FEED_STATES, type FeedState } from '../contract/feed-status.js';
import type { IndicativeOutcome, IndicativePolicy, MakerQuotes } from '../contract/indicative.js';
import type { ChainStats, MarketInfo } from '../contract/markets.js';
import { type ProgramName, programAt } from '../contract/program.js';
import type { TopicSpec } from '../contract/topics.js';
import { Accounts } from './accounts.js';
import { type BookOptions, createCore, readOpenOrders } from './core.js';
import { DecodedSnapshot, decodedSnapshot } from './decoded-snapshot.js';
import { EngineError, type EngineErrorCode } from './errors.js';
import { type ExternalLevels, setExternalLevels } from './external-levels.js';
import { packQuotes } from './indicative.js';
import type { JournalReader, JournalStep, JournalUntil } from './journal-reader.js';
import { readLevels } from './levels.js';
import { MarketHashes } from './market-hashes.js';
import { matchOptions, refusalOf } from './match.js';
import { OutputBuffer } from './output-buffer.js';
import { parseChainStats, parseMarkets, parseText } from './parse.js';
import { RefusedAccounts } from './refused-accounts.js';
import { optionBits } from './sources.js';
import { marketNotFound, TopicFrames, topicName } from './topics.js';
import { TurnLog } from './turn-log.js';
import { RecordBatch, TurnReport } from './turn-records.js';
import type { EngineStats, EngineTurn } from './types.js';

/** By the side codes of the core. */
const SIDES = ['bid', 'ask'] as const;

/**
 * The native order book with typed calls: account texts go in, rendered bodies come out.
 *
 * All calls between two calls of {@link Engine.endTurn} form one turn. Read bodies between turns,
 * never within a turn; a part of a snapshot must also be followed by an end of the turn. All
 * methods are synchronous except {@link Engine.decodeSnapshot}, which decodes on another thread.
 *
 * The engine has no URLs and no clock. The native core decides which orders are in the book and at
 * which prices.
 */
export class Engine implements FeedEngine, QuoteEngine, BookSource {
  /** The log of the turns, for the journal. */
  readonly turnLog: TurnLog;
  /** The program whose rules and layouts the accounts have. */
  readonly program: ProgramName;
  /** Hashes of the markets' contents. */
  readonly hashes: MarketHashes;
  /** User accounts, with the topics of those that are watched. */
  readonly accounts: Accounts;
  readonly #core: Core;
  readonly #batch = new RecordBatch();
  readonly #refused = new RefusedAccounts();
  /** The report of the last turn. */
  readonly #report = new TurnReport();
  readonly #body = new OutputBuffer('body');
  /** The open topics of the streaming channels. */
  readonly topics: TopicFrames;
  readonly #version = new Float64Array(4);
  readonly #versionBytes = Buffer.from(this.#version.buffer);
  #epoch: string;
  #state: FeedState = 'rebuilding';
  #turn = 0;
  /** The decoded parts of the snapshot that is being applied; undefined outside of a snapshot. */
  #snapshotParts: Set<DecodedSnapshot> | undefined;
  #markets: readonly MarketInfo[] = [];
  /** The report's `marketSet` when `#markets` was last read. */
  #marketsOf = -1;

  constructor(options: BookOptions) {
    this.program = options.program ?? programAt(options.programId);
    this.#core = createCore(options);
    this.turnLog = new TurnLog(this.#core);
    this.hashes = new MarketHashes(this.#core);
    this.accounts = new Accounts(this.#core);
    this.topics = new TopicFrames(this.#core);
    this.#epoch = options.epoch;
  }

  /** The id of this run on this chain. Each body contains it. */
  get epoch(): string {
    return this.#epoch;
  }

  /**
   * A number that grows with each change of bodies or markets: while it stays the same, bodies stay
   * the same.
   */
  get turn(): number {
    return this.#turn;
  }

  /** The freshness of the source, which bodies contain. */
  get state(): FeedState {
    return this.#state;
  }

  /**
   * Starts a new epoch because the source is another chain: bodies and versions of the previous
   * epoch are no longer current.
   */
  setEpoch(epoch: string): void {
    this.#turn += 1;
    this.#core.setEpoch(epoch);
    this.#epoch = epoch;
  }

  setState(state: FeedState): void {
    this.#turn += 1;
    this.#state = state;
    this.#core.setState(FEED_STATES.indexOf(state));
  }

  /** Adds an account update to this turn. {@link Engine.endTurn} reports invalid accounts. */
  push(account: RawAccount): void {
    this.#addToBatch(account.pubkey, () => this.#batch.addAccount(account));
  }

  /** Adds the closing of an account to this turn. */
  pushClosed(pubkey: string, slot: number): void {
    this.#addToBatch(pubkey, () => this.#batch.addClosed(pubkey, slot));
  }

  /** Whether the turn should end now, so that its accounts do not take much memory. */
  get isFull(): boolean {
    return this.#batch.isFull;
  }

  /** Applies the added updates, before the end of the turn. */
  applyAdded(): void {
    this.#turn += 1;
    if (this.#batch.length === 0) return;
    this.#core.apply(this.#batch.buffer, this.#batch.length);
    this.#batch.clear();
  }

  /** Sets the chain's slot and time, after applying the updates that were pushed before. */
  setClock(slot: number, unixSeconds: number): void {
    this.applyAdded();
    this.#core.setClock(slot, unixSeconds);
  }

  /** Sets whether indicative quotes join the top of the book, which is the default. */
  setIndicativePolicy(policy: IndicativePolicy): void {
    this.#turn += 1;
    this.#core.setIndicativeImprove(policy === 'improve');
  }

  /** Replaces a maker's indicative quotes in a market. They become visible at the end of the turn. */
  setIndicative({ market, maker, quotes, tsMs }: MakerQuotes): IndicativeOutcome {
    const packed = packQuotes(quotes);
    return this.#core.setIndicative(market, maker, packed, tsMs) as IndicativeOutcome;
  }

  /**
   * The unix milliseconds before which no quote expires, or null without quotes. A turn that ends
   * later removes expired quotes.
   */
  indicativeDueMs(): number | null {
    return this.#core.indicativeDueMs();
  }

  /** Applies the next step of a journal. While an engine reads a journal, no other call may change the book. */
  readJournal(reader: JournalReader, until?: JournalUntil): JournalStep {
    const kind = reader.readInto({ core: this.#core, report: this.#report }, until);
    this.#turn += 1;
    // A turn can start another epoch before the next segment's head gives its name.
    this.#epoch = this.#core.epochName();
    // Every market has the state of the book. Without a market nothing can read the state.
    if (this.#core.version(0, this.#versionBytes)) this.#state = this.version(0).state;
    this.#marketsOf = kind === 'turn' ? this.#marketsOf : -1;
    if (kind !== 'turn') return { kind };
    const turn = this.#report.readCountedTurn(`${this.#epoch} ${this.#state}`);
    return { kind, turn, mark: reader.mark() };
  }

  /** Replaces the levels of external venues in a spot market. Only /match uses them; no book shows them. */
  setExternalLevels(market: number, levels: ExternalLevels): void {
    this.#turn += 1;
    setExternalLevels(this.#core, market, levels);
  }

  /** Applies the pushed updates and returns the changes. `tsMs` is the time in the bodies. */
  endTurn(tsMs: number): EngineTurn {
    this.#turn += 1;
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
    return report.readTurn({ words, stamp, problemCount, problems });
  }

  /**
   * Decodes the response body of getProgramAccounts (with context), or of getMultipleAccounts when
   * `keys` are its keys. The body must not change until the promise settles.
   */
  async decodeSnapshot(body: Uint8Array, keys: readonly string[] = []): Promise<AccountSnapshot> {
    const packed = await decodeSnapshot(body, [...keys]);
    const code = packed.failureCode as EngineErrorCode | null;
    if (code !== null) {
      throw new EngineError(code, packed.failureMessage ?? code, { bytes: body.length });
    }
    return new DecodedSnapshot(packed);
  }

  /**
   * Starts a snapshot. Then call {@link Engine.applySnapshot} for each part, and {@link
   * Engine.endSnapshot}.
   */
  beginSnapshot(snapshot: Pick<AccountSnapshot, 'slot'>): void {
    this.applyAdded();
    this.#core.beginSnapshot(snapshot.slot);
    this.#snapshotParts = new Set();
  }

  /** Applies up to `count` accounts from index `from` on; returns the number applied. */
  applySnapshot(snapshot: AccountSnapshot, from: number, count: number): number {
    const decoded = decodedSnapshot(snapshot);
    this.applyAdded();
    this.#snapshotParts?.add(decoded);
    return this.#core.applySnapshot(decoded.packed, from, count);
  }

  /** Ends a snapshot: removes users that are missing from the snapshot, and frees the snapshot's memory. */
  endSnapshot(): SnapshotReport {
    this.applyAdded();
    const report = this.#report;
    this.#core.endSnapshot(report.bytes);
    for (const part of this.#snapshotParts ?? []) part.packed.release();
    this.#snapshotParts = undefined;
    const word = (index: number): number => report.wordAt(index);
    return { seen: word(0), added: word(1), changed: word(2), removed: word(3) };
  }

  /** All markets, ordered by id. Returns the same array until a market changes. */
  markets(): readonly MarketInfo[] {
    const { marketSet } = this.#report;
    if (this.#marketsOf !== marketSet) {
      this.#markets = parseMarkets(this.#core.markets(), this.program);
      this.#marketsOf = marketSet;
    }
    return this.#markets;
  }

  /** Finds a market by its name, without regard to case, as of the last turn. */
  findMarket(name: string): MarketInfo | undefined {
    const id = this.#core.findMarket(name);
    return id < 0 ? undefined : this.markets()[id];
  }

  /**
   * The chain values for statistics, indexed by market id, as of now. They can change without a new
   * version of any body, and each call returns a new array.
   */
  readChainStats(): readonly ChainStats[] {
    return parseChainStats(this.#core.chainStats());
  }

  /** The oracle accounts of all markets. */
  oracleKeys(): readonly string[] {
    return parseText(this.#core.oracleKeys());
  }

  /**
   * Returns the accounts of a snapshot that the book lacks or holds in an older state, as of the
   * last turn.
   */
  lackingAccounts(snapshot: AccountSnapshot): readonly string[] {
    return parseText(this.#core.lacking(decodedSnapshot(snapshot).packed));
  }

  /** Returns the accounts of the book that are missing in a later snapshot. */
  goneAccounts(snapshot: AccountSnapshot): readonly string[] {
    return parseText(this.#core.gone(decodedSnapshot(snapshot).packed));
  }

  /** The program's accounts in a snapshot. */
  foundAccounts(snapshot: AccountSnapshot): readonly string[] {
    return parseText(this.#core.foundAccounts(decodedSnapshot(snapshot).packed));
  }

  /**
   * Returns the first `count` users of a snapshot for the check of the layout, by the markets as of
   * the last turn.
   */
  layoutSamples(snapshot: AccountSnapshot, count: number): readonly LayoutSample[] {
    return parseText(this.#core.layoutSamples(decodedSnapshot(snapshot).packed, count));
  }

  /**
   * Returns a page of at most `count` users with open orders, or of all users where there are no
   * more. `from` is the end of the previous page.
   */
  usersInTurn(from: number, count: number): UserPage {
    return this.#core.usersInTurn(from, count);
  }

  /** The exchange's own counts of its users, and the number of accounts in the book. */
  readCensus(): Census {
    return this.#core.census();
  }

  /** Renders the /l2 body: a view on the engine's buffer that is valid until the next body is rendered. */
  l2(request: L2Request): Uint8Array {
    const { market, depth, grouping = 0 } = request;
    const options = optionBits(request);
    return this.#renderBody(market, (out) => this.#core.l2(market, depth, grouping, options, out));
  }

  /** Returns the levels of /l2. */
  levels({ market, depth, grouping = 0, ...others }: LevelsRequest): BookLevels {
    const sources = optionBits(others);
    return readLevels(
      this.#renderBody(market, (out) => this.#core.levels(market, depth, grouping, sources, out)),
    );
  }

  /** Renders the /l3 body, also a view. */
  l3(request: L3Request): Uint8Array {
    const { market, depth = 0, maker = '' } = request;
    const options = optionBits(request);
    return this.#renderBody(market, (out) => this.#core.l3(market, depth, maker, options, out));
  }

  /** Renders the /auctions body, also a view. */
  auctions({ market }: AuctionsRequest): Uint8Array {
    return this.#renderBody(market, (out) => this.#core.auctions(market, out));
  }

  /**
   * Renders the order book frame of the compatible protocol, with the channel's name and the /l2
   * body as JSON text. Also a view.
   */
  orderbookFrame(request: OrderbookFrameRequest): Uint8Array {
    const { market, depth, grouping = 0, ...others } = request;
    const sources = optionBits(others);
    return this.#renderBody(market, (out) =>
      this.#core.orderbookFrame(market, depth, grouping, sources, out),
    );
  }

  /** Renders the /match body, the result of an order sent now. Also a view. */
  match(request: MatchRequest): Uint8Array {
    const core = this.#core;
    const options = matchOptions(request);
    return this.#renderBody(
      request.market,
      (out) => core.matchOrder(options, out),
      () => refusalOf(core, options),
    );
  }

  /** The user accounts (base58) with the best orders of a side, without duplicates, best first. */
  topMakers({ market, side, limit }: TopMakersRequest): readonly string[] {
    const makers = this.#core.topMakers(market, SIDES.indexOf(side), limit);
    if (makers === null) throw marketNotFound(market);
    return parseText(makers);
  }

  /** Renders the body of /user/{account}/orders. */
  openOrders(account: string): string {
    return readOpenOrders(this.#core, account);
  }

  /** Whether the book has a user account with this key (base58). */
  hasUser(key: string): boolean {
    return this.#core.hasUser(key);
  }

  /** The version of this market's bodies now. */
  version(market: number): MarketVersion {
    if (!this.#core.version(market, this.#versionBytes)) throw marketNotFound(market);
    const [seq = 0, slot = 0, state = 0, auctions = 0] = this.#version;
    return { seq, slot, state: FEED_STATES[state] ?? 'stale', auctions };
  }

  /** The name of a streaming topic, as frames contain it. It is unique for each topic. */
  topicName(spec: TopicSpec): string {
    return topicName(this.#core, spec);
  }

  stats(): EngineStats {
    return parseText(this.#core.stats());
  }

  /** A hash of all visible orders: equal books have equal hashes. */
  stateHash(): bigint {
    return this.#core.stateHash();
  }

  /**
   * When rendering fails although the market exists, `findRefusal` gives the reason; without a
   * reason the maker is invalid.
   */
  #renderBody(
    market: number,
    write: (out: Buffer) => number,
    findRefusal?: () => EngineError | undefined,
  ): Uint8Array {
    const body = this.#body.renderView(write);
    if (body.length > 0) return body;
    // Rendering needs a market and, for /l3, a maker. The market exists, so the maker must be
    // invalid.
    if (!this.#core.version(market, this.#versionBytes)) throw marketNotFound(market);
    throw (
      findRefusal?.() ??
      new EngineError('INVALID_MAKER', 'maker was not a base58 key of 32 bytes', { market })
    );
  }

  #addToBatch(pubkey: string, write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#refused.addRefusal(pubkey, error);
    }
  }

  #takeProblems(inCore: number): readonly AccountProblem[] {
    const refused = this.#refused.takeProblems();
    return inCore === 0
      ? refused
      : [...refused, ...parseText<AccountProblem[]>(this.#core.takeProblems())];
  }
}
