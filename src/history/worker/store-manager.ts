import { existsSync } from 'node:fs';
import type { MarketKey } from '../../contract/markets.js';
import type { ProgramName } from '../../contract/program.js';
import type { Timers } from '../../contract/timers.js';
import type { RowReader } from '../bodies/make-body.js';
import { bucketReader } from '../candles/read-candles.js';
import { candleRules } from '../candles/rules.js';
import { FAULT_KEPT_MS } from '../model/limits.js';
import type { DatabaseSetup } from '../model/messages.js';
import type { HistoryMarket } from '../model/records.js';
import { isDamage, StoreError } from '../store/error.js';
import { storeFile } from '../store/open.js';
import { type HistoryStore, openStore } from '../store/store.js';

/** The folder of the stores, and the source of the markets' decimals. */
interface StoreManagerOptions {
  readonly folder: string;
  /** The program of the transactions; undefined for any. */
  readonly programId?: string;
  /** The program whose records it logs; by default that of its address. */
  readonly program?: ProgramName | undefined;
  /** A database instead of the folder. */
  readonly database?: DatabaseSetup | undefined;
  readonly marketOf: (key: MarketKey) => HistoryMarket | undefined;
  readonly timers: Pick<Timers, 'nowMs'>;
  readonly onFault?: (fault: string) => void;
}

interface FileFault {
  readonly text: string;
  /** The file's identity; null for any file. */
  readonly identity: string | null;
  /**
   * When the fault expires unless it recurs, monotonic milliseconds; damage and loss do not expire.
   */
  readonly untilMs: number;
}

/** The single open store, which is that of the current chain, and the fault of its file. */
export class StoreManager {
  readonly #options: StoreManagerOptions;
  #open: { readonly genesisHash: string; readonly store: HistoryStore } | null = null;
  #fault: FileFault | null = null;
  /** The chain whose file was moved or deleted while open. */
  #lostChain: string | null = null;

  constructor(options: StoreManagerOptions) {
    this.#options = options;
  }

  /** Null before the chain is known. */
  get store(): HistoryStore | null {
    return this.#open?.store ?? null;
  }

  /** The fault of the file as a text for operators; null for none. */
  get fault(): string | null {
    return this.#fault?.text ?? null;
  }

  /**
   * Opens the store of a chain, and closes the store of another chain. `isNew` is false when the
   * store was already open.
   *
   * # Errors
   * Rejects with a StoreError when the file cannot be opened or was lost: no replacement is
   * created.
   */
  async openStore(genesisHash: string): Promise<{ store: HistoryStore; isNew: boolean }> {
    if (this.#open?.genesisHash === genesisHash) return { store: this.#open.store, isNew: false };
    this.close();
    const store = await this.#openNew(genesisHash);
    this.#open = { genesisHash, store };
    this.#lostChain = null;
    if (this.#fault?.identity !== store.identity) this.#fault = null;
    return { store, isNew: true };
  }

  async #openNew(genesisHash: string): Promise<HistoryStore> {
    const { folder, programId, program, database, marketOf } = this.#options;
    const decimalsOf = (key: MarketKey): number | null =>
      marketOf(key)?.decimals ?? (key.startsWith('perp') ? 9 : null);
    const options = { genesisHash, programId, program, rules: candleRules, decimalsOf };
    if (database !== undefined) {
      // The Postgres client is loaded only for a history in a database.
      const { openPostgresStore } = await import('../postgres/open-postgres.js');
      return openPostgresStore({ ...options, place: database });
    }
    if (this.#lostChain === genesisHash && !existsSync(storeFile(folder, genesisHash))) {
      throw new StoreError('moved', LOST_TEXT);
    }
    return openStore({ ...options, folder });
  }

  /** Abandons a file that is no longer at its path, because writes to it would be lost. */
  checkPlace(): void {
    if ((this.#fault?.untilMs ?? FOR_GOOD) <= this.#options.timers.nowMs()) this.#fault = null;
    if (this.#open === null || this.#open.store.isInPlace()) return;
    const { genesisHash, store } = this.#open;
    this.#open = null;
    this.#lostChain = genesisHash;
    store.abandon(new StoreError('moved', LOST_TEXT));
    this.#setFault({ text: LOST_TEXT, identity: null, untilMs: FOR_GOOD });
  }

  /** Records an error of a read. */
  noteFailure(error: unknown): void {
    if (!(error instanceof StoreError) || this.#open === null || this.#fault?.untilMs === FOR_GOOD)
      return;
    const { identity } = this.#open.store;
    const isOfFile = isDamage(error) || error.reason === 'foreign';
    const text = isOfFile ? `${error.message}; docs/backup.md says what to do` : error.message;
    const untilMs = isOfFile ? FOR_GOOD : this.#options.timers.nowMs() + FAULT_KEPT_MS;
    this.#setFault({ text, identity, untilMs });
  }

  /** Records that the whole file was checked without damage. */
  noteSound(): void {
    this.#fault = null;
  }

  /**
   * Closes the store after an unrecoverable error, so that the file is opened again. A damaged file
   * stays open, because its intact rows are served and the check may repair it.
   */
  closeAfter(error: unknown): void {
    if (isDamage(error)) this.noteFailure(error);
    else if (error instanceof StoreError && !error.canRecover) this.close();
  }

  close(): void {
    this.#open?.store.close();
    this.#open = null;
  }

  #setFault(fault: FileFault): void {
    const isNew = fault.text !== this.#fault?.text;
    this.#fault = fault;
    if (isNew) this.#options.onFault?.(fault.text);
  }
}

const FOR_GOOD = Number.POSITIVE_INFINITY;

const LOST_TEXT =
  'the file was moved or deleted while it was open: nothing is stored until there is one in its place, or the service is started again';

/**
 * Returns the reader for bodies and streams, which reads the currently open store. `store` throws
 * while there is none.
 */
export function storeReader(store: () => HistoryStore): RowReader {
  const buckets = bucketReader({
    readCandles: (query) => store().readCandles(query),
    candleBefore: (market, minutes, start) => store().candleBefore(market, minutes, start),
  });
  return {
    ...buckets,
    readRecords: (query) => store().readRecords(query),
  };
}
