// Generated from the layout tables of crates/protocol/layouts by its test client_layouts.
import { u128At } from '../reading.js';

/** The struct `HistoricalOracleData`; amounts are raw. */
export interface HistoricalOracleData {
  readonly lastOraclePrice: bigint;
  readonly lastOracleConf: bigint;
  readonly lastOracleDelay: bigint;
  readonly lastOraclePriceTwap: bigint;
  readonly lastOraclePriceTwap5min: bigint;
  readonly lastOraclePriceTwapTs: bigint;
}

/** Where the fields of `HistoricalOracleData` are, and how many bytes it has. */
export const HISTORICAL_ORACLE_DATA = {
  bytes: 48,
  lastOraclePrice: 0,
  lastOracleConf: 8,
  lastOracleDelay: 16,
  lastOraclePriceTwap: 24,
  lastOraclePriceTwap5min: 32,
  lastOraclePriceTwapTs: 40,
} as const;

/** Reads `HistoricalOracleData` at a place, whose bytes are there. */
export function historicalOracleDataAt(view: DataView, at: number): HistoricalOracleData {
  return {
    lastOraclePrice: view.getBigInt64(at, true),
    lastOracleConf: view.getBigUint64(at + 8, true),
    lastOracleDelay: view.getBigInt64(at + 16, true),
    lastOraclePriceTwap: view.getBigInt64(at + 24, true),
    lastOraclePriceTwap5min: view.getBigInt64(at + 32, true),
    lastOraclePriceTwapTs: view.getBigInt64(at + 40, true),
  };
}

/** The struct `PoolBalance`; amounts are raw. */
export interface PoolBalance {
  readonly scaledBalance: bigint;
  readonly marketIndex: number;
}

/** Where the fields of `PoolBalance` are, and how many bytes it has. */
export const POOL_BALANCE = {
  bytes: 24,
  scaledBalance: 0,
  marketIndex: 16,
} as const;

/** Reads `PoolBalance` at a place, whose bytes are there. */
export function poolBalanceAt(view: DataView, at: number): PoolBalance {
  return {
    scaledBalance: u128At(view, at),
    marketIndex: view.getUint16(at + 16, true),
  };
}
