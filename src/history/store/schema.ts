/**
 * The tables, as types for Kysely's queries. Integers come out of the database as bigint; columns
 * of `StoredInteger` hold 64 bits and more (`columns.ts`).
 */
import type { StoredInteger } from './columns.js';
import type { FundingTable, TradeTable } from './record-rows.js';

/** One transaction of the program. */
interface TransactionTable {
  /** Assigned in the order of arrival. */
  id: number;
  /** 64 bytes. */
  signature: Uint8Array;
  slot: number;
  place: number;
  is_truncated: number;
  is_final: number;
  /**
   * Whether a stored record refers to the transaction; final transactions without records are
   * deleted.
   */
  has_records: number;
  /** Checksum of the signature; for all columns `sum` see `row-sum.ts`. */
  sum: number | null;
}

/** A trading account, to which trades refer by id. */
interface AccountTable {
  id: number;
  /** 32 bytes. */
  key: Uint8Array;
  sum: number | null;
}

/** An action explanation, to which trades refer by id. */
interface ExplanationTable {
  id: number;
  name: string;
  sum: number | null;
}

/** The aggregate of one bucket. */
export interface CandleTable {
  market: number;
  minutes: number;
  start: number;
  first_id: StoredInteger;
  first_ts: number;
  first_price: StoredInteger;
  first_oracle: StoredInteger;
  last_id: StoredInteger;
  last_ts: number;
  last_price: StoredInteger;
  last_oracle: StoredInteger;
  high: StoredInteger;
  low: StoredInteger;
  oracle_high: StoredInteger;
  oracle_low: StoredInteger;
  base: StoredInteger;
  quote: StoredInteger;
  fills: number;
  sum: number | null;
}

/** Contiguous fillRecordIds of a market, both ends included. */
interface FillRunTable {
  market: number;
  first_id: StoredInteger;
  last_id: StoredInteger;
}

/** A fill that is in no candle yet, because the decimals of its market are unknown. */
interface PendingFillsTable {
  market: number;
  tx: number;
  idx: number;
}

/** Progress marks, by name. */
interface ProgressTable {
  name: string;
  value: string;
  sum: number | null;
}

/** Facts about the file, by name. */
interface MetaTable {
  name: string;
  value: string;
  sum: number | null;
}

/** Every table of a store. */
export interface StoreTables {
  transactions: TransactionTable;
  accounts: AccountTable;
  explanations: ExplanationTable;
  trades: TradeTable;
  funding_rates: FundingTable;
  candles: CandleTable;
  fill_runs: FillRunTable;
  uncharted: PendingFillsTable;
  progress: ProgressTable;
  meta: MetaTable;
}
