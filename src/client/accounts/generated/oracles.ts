// Generated from the layout tables of crates/protocol/layouts by its test client_layouts.

/** The account `PythLazerOracle`; amounts are raw. */
export interface PythLazerOracle {
  readonly price: bigint;
  readonly publishTime: bigint;
  readonly postedSlot: bigint;
  readonly exponent: number;
  readonly conf: bigint;
}

/** Where the fields of `PythLazerOracle` are, and how many bytes it has. */
export const PYTH_LAZER_ORACLE = {
  bytes: 48,
  price: 8,
  publishTime: 16,
  postedSlot: 24,
  exponent: 32,
  conf: 40,
} as const;

/** Reads `PythLazerOracle` at a place, whose bytes are there. */
export function pythLazerOracleAt(view: DataView, at: number): PythLazerOracle {
  return {
    price: view.getBigInt64(at + 8, true),
    publishTime: view.getBigUint64(at + 16, true),
    postedSlot: view.getBigUint64(at + 24, true),
    exponent: view.getInt32(at + 32, true),
    conf: view.getBigUint64(at + 40, true),
  };
}

/** How an account `PythLazerOracle` is told from others. */
export const PYTH_LAZER_ORACLE_KIND = {
  name: 'PythLazerOracle',
  discriminatorHigh: 0x9f07a1f9,
  discriminatorLow: 0x22517985,
  bytes: 48,
  hasFixedLength: true,
} as const;

/** The account `PrelaunchOracle`; amounts are raw. */
export interface PrelaunchOracle {
  readonly price: bigint;
  readonly maxPrice: bigint;
  readonly confidence: bigint;
  readonly lastUpdateSlot: bigint;
  readonly ammLastUpdateSlot: bigint;
  readonly perpMarketIndex: number;
}

/** Where the fields of `PrelaunchOracle` are, and how many bytes it has. */
export const PRELAUNCH_ORACLE = {
  bytes: 120,
  price: 8,
  maxPrice: 16,
  confidence: 24,
  lastUpdateSlot: 32,
  ammLastUpdateSlot: 40,
  perpMarketIndex: 48,
} as const;

/** Reads `PrelaunchOracle` at a place, whose bytes are there. */
export function prelaunchOracleAt(view: DataView, at: number): PrelaunchOracle {
  return {
    price: view.getBigInt64(at + 8, true),
    maxPrice: view.getBigInt64(at + 16, true),
    confidence: view.getBigUint64(at + 24, true),
    lastUpdateSlot: view.getBigUint64(at + 32, true),
    ammLastUpdateSlot: view.getBigUint64(at + 40, true),
    perpMarketIndex: view.getUint16(at + 48, true),
  };
}

/** How an account `PrelaunchOracle` is told from others. */
export const PRELAUNCH_ORACLE_KIND = {
  name: 'PrelaunchOracle',
  discriminatorHigh: 0x5c0e8bea,
  discriminatorLow: 0x48f4441a,
  bytes: 120,
  hasFixedLength: true,
} as const;
