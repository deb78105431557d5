import { Core, decodeSnapshot } from '#addon';
import type {
  AccountProblem,
  AccountSnapshot,
  RawAccount,
  SnapshotReport,
} from '../contract/accounts.js';
import type { FeedState } from '../contract/feed-status.js';
import type { IndicativeOutcome, IndicativePolicy, MakerQuotes } from '../contract/indicative.js';
import { Batch } from './batch.js';
import { STATES } from './bodies.js';
import { DecodedSnapshot } from './decoded-snapshot.js';
import { EngineReads } from './engine-reads.js';
import { EngineError, type EngineErrorCode } from './errors.js';
import { type ExternalLevels, setExternalLevels } from './external-levels.js';
import { outcomeOf, packQuotes } from './indicative.js';
import { parseProblems } from './parse.js';
import { Refused } from './refused.js';
import type { EngineTurn } from './types.js';

/**
 * The native order book behind typed calls: account texts in, finished bodies out.
 *
 * Everything between two calls of {@link Engine.endTurn} is one turn. Bodies are read between
 * turns, never inside one: end the turn after each part of a snapshot as well. Nothing here waits,
 * but {@link Engine.decodeSnapshot}, which works on another thread.
 *
 * This room knows no URL and keeps no time; what is in the book, and at which price, the core decides.
 */
export class Engine extends EngineReads {
  readonly #batch = new Batch();
  #epoch: string;
  #state: FeedState = 'rebuilding';
  #turn = 0;
  /** The parts of the snapshot that is being applied; undefined outside of one. */
  #snapshotParts: Set<DecodedSnapshot> | undefined;
  readonly #refused = new Refused();

  constructor(options: { readonly programId: string; readonly epoch: string }) {
    super(createCore(options));
    this.#epoch = options.epoch;
  }

  /** Names this run on this chain; every body carries it. */
  get epoch(): string {
    return this.#epoch;
  }

  /** Grows with everything that may change a body or the markets: the same number, the same answers. */
  get turn(): number {
    return this.#turn;
  }

  /** The source is another chain: from now on no body or version of the epoch before is current. */
  setEpoch(epoch: string): void {
    this.#turn += 1;
    this.core.setEpoch(epoch);
    this.#epoch = epoch;
  }

  /** Adds an account to this turn. What is wrong with it is told by {@link Engine.endTurn}. */
  push(account: RawAccount): void {
    this.#add(account.pubkey, () => this.#batch.push(account));
  }

  /** Adds that an account is gone to this turn. */
  close(pubkey: string, slot: number): void {
    this.#add(pubkey, () => this.#batch.close(pubkey, slot));
  }

  /** Moves the chain's time, after what was pushed before. */
  setClock(slot: number, unixSeconds: number): void {
    this.#flush();
    this.core.setClock(slot, unixSeconds);
  }

  /** How fresh the source is: what bodies say of it. */
  get state(): FeedState {
    return this.#state;
  }

  setState(state: FeedState): void {
    this.#turn += 1;
    this.#state = state;
    this.core.setState(STATES.indexOf(state));
  }

  /** Says whether indicative quotes may be better than everything else; at the start they join it. */
  setIndicativePolicy(policy: IndicativePolicy): void {
    this.#turn += 1;
    this.core.setIndicativeImprove(policy === 'improve');
  }

  /** Replaces a maker's indicative quotes of a market. They show when the turn has ended. */
  setIndicative({ market, maker, quotes, tsMs }: MakerQuotes): IndicativeOutcome {
    return outcomeOf(this.core.setIndicative(market, maker, packQuotes(quotes), tsMs));
  }

  /** Before this no quote expires; a turn that ends then takes out what is due. Null without quotes. */
  indicativeDueMs(): number | null {
    return this.core.indicativeDueMs();
  }

  /** Applies what was pushed and tells what changed. `tsMs` is the time the bodies carry. */
  endTurn(tsMs: number): EngineTurn {
    this.#turn += 1;
    const { buffer, length } = this.#batch;
    const report = this.report;
    const words = this.core.endTurn(buffer, length, tsMs, report.bytes);
    this.#batch.clear();
    if (words < 0) {
      const message = `turn report needs ${-words} words, has ${report.length}`;
      throw new EngineError('REPORT_BYTES_EXCEEDED', message, { words: -words });
    }
    const problemCount = report.problemCount + this.#refused.count;
    const problems = this.#takeProblems(report.problemCount);
    return report.turn(words, problemCount, problems);
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
    this.#flush();
    this.core.beginSnapshot(snapshot.slot);
    this.#snapshotParts = new Set();
  }

  /** Applies `count` accounts from number `from` on; answers how many there were. */
  applySnapshot(snapshot: AccountSnapshot, from: number, count: number): number {
    if (!(snapshot instanceof DecodedSnapshot)) {
      throw new EngineError('MALFORMED_SNAPSHOT', 'snapshot must come from decodeSnapshot');
    }
    this.#flush();
    this.#snapshotParts?.add(snapshot);
    return this.core.applySnapshot(snapshot.packed, from, count);
  }

  /** Ends a snapshot: users that it did not hold leave the book; the memory of its parts is given back. */
  endSnapshot(): SnapshotReport {
    this.#flush();
    const report = this.report;
    this.core.endSnapshot(report.bytes);
    for (const part of this.#snapshotParts ?? []) part.packed.release();
    this.#snapshotParts = undefined;
    const word = (index: number): number => report.word(index);
    return { seen: word(0), added: word(1), changed: word(2), removed: word(3) };
  }

  /** Replaces what external venues offer in a spot market: takers meet it, no book shows it. */
  setExternalLevels(market: number, levels: ExternalLevels): void {
    this.#turn += 1;
    setExternalLevels(this.core, market, levels);
  }

  #add(pubkey: string, write: () => boolean): void {
    try {
      if (write()) return;
      this.#flush();
      write();
    } catch (error) {
      this.#refused.note(pubkey, error);
    }
  }

  #flush(): void {
    // Whoever hands over what was pushed until now is about to change the book.
    this.#turn += 1;
    if (this.#batch.length === 0) return;
    this.core.apply(this.#batch.buffer, this.#batch.length);
    this.#batch.clear();
  }

  #takeProblems(inCore: number): readonly AccountProblem[] {
    const refused = this.#refused.take();
    return inCore === 0 ? refused : [...refused, ...parseProblems(this.core.takeProblems())];
  }
}

function createCore({ programId, epoch }: { programId: string; epoch: string }): Core {
  try {
    return new Core(programId, epoch);
  } catch (cause) {
    const message = `program id was ${programId}, must be base58 of 32 bytes`;
    throw new EngineError('INVALID_PROGRAM_ID', message, {}, { cause });
  }
}
