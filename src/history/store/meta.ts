import type { RecordKind } from '../../engine/events.js';
import type { Connection } from './connection.js';
import { readMarks, writeMark } from './marks.js';
import type { CandleMinutes } from './types.js';

/** Kinds of records and of candles with a retention cutoff. */
type CutoffKind = RecordKind | `candles_${CandleMinutes}`;

/**
 * The retention cutoffs by kind. They are stored, because an old trade that arrives again must not
 * count as new: its bucket still contains it.
 */
export class RetentionCutoffs {
  readonly #connection: Connection;
  #cutoffs = new Map<string, number>();

  constructor(connection: Connection) {
    this.#connection = connection;
    this.reloadCutoffs();
  }

  /** Returns the time before which records of a kind are deleted, unix seconds. */
  recordsBefore(kind: RecordKind): number {
    return this.#cutoffs.get(kind) ?? Number.NEGATIVE_INFINITY;
  }

  /** Returns the time before whose bucket starts candles are deleted, unix seconds. */
  candlesBefore(minutes: CandleMinutes): number {
    return this.#cutoffs.get(`candles_${minutes}`) ?? Number.NEGATIVE_INFINITY;
  }

  /** Moves a cutoff forward, never back. */
  advanceCutoff(kind: CutoffKind, ts: number): void {
    if (ts <= (this.#cutoffs.get(kind) ?? Number.NEGATIVE_INFINITY)) return;
    writeMark(this.#connection, 'meta', { name: `retired:${kind}`, value: String(ts) });
    this.#cutoffs.set(kind, ts);
  }

  /** Reads the stored cutoffs: at the start, and after a failed write. */
  reloadCutoffs(): void {
    const marks = readMarks(this.#connection, 'meta', 'retired:');
    this.#cutoffs = new Map(
      [...marks].map(([name, value]) => [name.slice('retired:'.length), Number(value)]),
    );
  }
}

/** Totals of the store: `transactions`, and records by {@link totalOf}. */
export type StoreTotals = Readonly<Record<string, number>> & {
  readonly trades: number;
  readonly fundingRates: number;
  readonly transactions: number;
};

const noRows: StoreTotals = { trades: 0, fundingRates: 0, transactions: 0 };

/** The name of the total of a kind; transfers of positions are trades. */
export function totalOf(kind: RecordKind): string {
  if (kind === 'fundingRate') return 'fundingRates';
  return kind === 'trade' || kind === 'transfer' ? 'trades' : kind;
}

/** Adds to one of several counts. */
export function addTo(counts: Record<string, number>, name: string, by: number): void {
  counts[name] = (counts[name] ?? 0) + by;
}

/** Row counts that are updated with the rows, because counting ten million rows takes seconds. */
export class RowTotals {
  readonly #connection: Connection;
  #totals: StoreTotals = noRows;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.reloadTotals();
  }

  /** The counts as of the last write. */
  get currentTotals(): StoreTotals {
    return this.#totals;
  }

  /** Adds to the counts; negative values subtract. */
  addCounts(more: Readonly<Record<string, number>>): void {
    const changed = Object.entries(more).filter(([, by]) => by !== 0);
    if (changed.length === 0) return;
    const totals = { ...this.#totals };
    for (const [name, by] of changed) addTo(totals, name, by);
    this.#totals = totals;
    writeMark(this.#connection, 'meta', { name: 'totals', value: JSON.stringify(totals) });
  }

  /** Reads the stored counts: at the start, and after a failed write. */
  reloadTotals(): void {
    const text = readMarks(this.#connection, 'meta', 'totals').get('totals') ?? '{}';
    this.#totals = { ...noRows, ...(JSON.parse(text) as Readonly<Record<string, number>>) };
  }
}
