/** The store of the history in memory, plain, so that it is plainly right: for ingestion, and to judge the store itself. */
import type { IngestStore } from '../../src/history/ingest/parts.js';
import type { TransactionRecords } from '../../src/history/model/records.js';
import { StoreError } from '../../src/history/store/error.js';
import type {
  FinalPosition,
  StoreBatch,
  StoreChange,
  StoredTransaction,
  UnfinalisedQuery,
} from '../../src/history/store/types.js';

const NOTHING: StoreChange = {
  records: [],
  candles: [],
  markets: new Set(),
  known: 0,
  removed: 0,
};

/** A fill's position and its number. */
interface StoredFill {
  readonly signature: string;
  readonly slot: number;
  readonly place: number;
  readonly fillRecordId: bigint | null;
}

export class MemoryStore implements IngestStore {
  readonly #transactions = new Map<string, TransactionRecords>();
  readonly #progress = new Map<string, string>();
  /** Set: the disk fails. */
  broken: StoreError | null = null;
  /** Transactions that cannot be stored, whatever the disk. */
  readonly refused = new Set<string>();
  /** Additional changes for the next write: candles that could not be built before. */
  owed: StoreChange | null = null;
  writes = 0;

  get all(): readonly TransactionRecords[] {
    return [...this.#transactions.values()];
  }

  find(signature: string): TransactionRecords | undefined {
    return this.#transactions.get(signature);
  }

  /** All fills in the order of the chain. */
  get fills(): readonly StoredFill[] {
    return this.all
      .toSorted((a, b) => a.slot - b.slot || a.place - b.place)
      .flatMap(({ signature, slot, place, records }) => {
        return records.map(({ id }) => ({ signature, slot, place, fillRecordId: id }));
      });
  }

  get ids(): readonly number[] {
    return this.fills.map(({ fillRecordId }) => Number(fillRecordId));
  }

  get isAllFinal(): boolean {
    return this.all.every(({ isFinal }) => isFinal);
  }

  writeBatch({ transactions, progress = {} }: StoreBatch): StoreChange {
    this.#check();
    if (transactions.some(({ signature }) => this.refused.has(signature))) {
      throw new StoreError('internal', 'it cannot be stored');
    }
    for (const transaction of transactions) {
      const known = this.#transactions.get(transaction.signature);
      this.#transactions.set(transaction.signature, merged(known, transaction));
    }
    this.#mark(progress);
    const change = this.owed ?? NOTHING;
    this.owed = null;
    return change;
  }

  finaliseTransactions(places: readonly FinalPosition[]) {
    this.#check();
    const elsewhere: string[] = [];
    for (const { signature, slot, place } of places) {
      const known = this.#transactions.get(signature);
      if (known === undefined) continue;
      if (known.slot !== slot) elsewhere.push(signature);
      else this.#transactions.set(signature, { ...known, place, isFinal: true });
    }
    return { change: NOTHING, elsewhere };
  }

  removeTransactions(signatures: readonly string[]): StoreChange {
    this.#check();
    for (const signature of signatures) this.#transactions.delete(signature);
    return NOTHING;
  }

  findStored(signatures: readonly string[]): ReadonlySet<string> {
    return new Set(signatures.filter((signature) => this.#transactions.has(signature)));
  }

  findTruncated(signatures: readonly string[]): ReadonlySet<string> {
    const isCut = (signature: string) => this.#transactions.get(signature)?.isTruncated === true;
    return new Set(signatures.filter(isCut));
  }

  get truncated(): number {
    return this.all.filter(({ isTruncated }) => isTruncated).length;
  }

  readUnfinalised({ slotAfter, slotUpTo }: UnfinalisedQuery): readonly StoredTransaction[] {
    return this.all
      .filter(({ slot, isFinal }) => slot > slotAfter && slot <= slotUpTo && !isFinal)
      .toSorted((a, b) => a.slot - b.slot)
      .map((one) => ({ ...one, hasRecords: one.records.length > 0 }));
  }

  readProgress(): ReadonlyMap<string, string> {
    return this.#progress;
  }

  #mark(progress: Readonly<Record<string, string | null>>): void {
    for (const [name, mark] of Object.entries(progress)) {
      if (mark === null) this.#progress.delete(name);
      else this.#progress.set(name, mark);
    }
  }

  #check(): void {
    this.writes += 1;
    if (this.broken !== null) throw this.broken;
  }
}

/** Merges a repeated transaction like the real store. */
function merged(known: TransactionRecords | undefined, told: TransactionRecords) {
  if (known === undefined) return told;
  const isElsewhere = known.slot !== told.slot;
  if (isElsewhere) return known.isFinal && !told.isFinal ? known : told;
  const places = new Set(known.records.map(({ index }) => index));
  return {
    ...known,
    place: told.isFinal ? told.place : known.place,
    isFinal: known.isFinal || told.isFinal,
    isTruncated: known.isTruncated && told.isTruncated,
    records: [...known.records, ...told.records.filter(({ index }) => !places.has(index))],
  };
}

/** The error of a full disk. */
export function fullDisk(): StoreError {
  return new StoreError('full', 'the disk is full');
}
