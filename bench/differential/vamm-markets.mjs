/** Captured perp markets, changed ones, and the moments at which they are quoted. */
import path from 'node:path';
import { mulberry32 } from '../workload/mulberry32.mjs';

/**
 * Offsets of the members of a perp market's account that are read or changed here. Source:
 * programs/drift/src/state/perp_market.rs, as crates/protocol's layout tables have it.
 */
const AT = {
  lastOraclePrice: 72,
  lastOraclePriceTwap: 96,
  lastOraclePriceTwap5min: 104,
  lastOraclePriceTwapTs: 112,
  baseAssetReserve: 176,
  sqrtK: 256,
  baseAssetAmountWithAmm: 336,
  baseAssetAmountWithUnsettledLp: 352,
  last24hAvgFundingRate: 504,
  totalExchangeFee: 544,
  totalFeeMinusDistributions: 560,
  lastMarkPriceTwap: 752,
  lastMarkPriceTwap5min: 760,
  lastUpdateSlot: 768,
  lastOracleConfPct: 776,
  netRevenueSinceLastFunding: 784,
  minOrderSize: 824,
  volume24h: 840,
  longIntensityVolume: 848,
  shortIntensityVolume: 856,
  markStd: 872,
  oracleStd: 880,
  baseSpread: 896,
  maxSpread: 900,
  curveUpdateIntensity: 924,
  ammSpreadAdjustment: 934,
  referencePriceOffset: 960,
  ammInventorySpreadAdjustment: 964,
  referencePriceOffsetDeadbandPct: 965,
  contractType: 1163,
  pausedOperations: 1165,
};

/** Prices at which a captured market is quoted, by its last oracle price, in thousandths. */
const PRICE_THOUSANDTHS = [1000, 999, 1001, 997, 1003, 970, 1030];

const TOP_AMOUNTS = {
  majors: '5000000000,10000000000,20000000000,50000000000',
  others: '500000000,1000000000,2000000000,5000000000',
};

/** The captured perp markets of a folder with a manifest. */
export function capturedMarkets(folder, readFile) {
  const manifest = JSON.parse(readFile(path.join(folder, 'manifest.json'), 'utf8'));
  return manifest
    .filter(({ type, file }) => type === 'PerpMarket' && file !== undefined)
    .map(({ name, file }) => {
      const text = readFile(path.join(folder, file), 'utf8');
      return { name, bytes: Buffer.from(text.trim(), 'base64') };
    });
}

/** Random whole numbers of a seed: `below(n)` is one from 0 to n - 1. */
export function randomOf(seed) {
  const next = mulberry32(seed);
  return { below: (limit) => Math.floor(next() * limit) };
}

/** The words of a `vamm` command after the account, for a market at several moments. */
export function moments(bytes, random) {
  const last = bytes.readBigInt64LE(AT.lastOraclePrice);
  const since = bytes.readBigInt64LE(AT.lastOraclePriceTwapTs);
  const slot = bytes.readBigUInt64LE(AT.lastUpdateSlot);
  const moment = (thousandths, seconds, slots, count, amounts) => {
    const price = (last * BigInt(thousandths)) / 1000n;
    const confidence = price / 1500n;
    return [price, confidence, since + BigInt(seconds), slot + BigInt(slots), count, amounts].join(
      ' ',
    );
  };
  if (random === undefined) {
    return PRICE_THOUSANDTHS.flatMap((price) => [
      moment(price, 10, 25, 100, TOP_AMOUNTS.majors),
      moment(price, 2000, 5000, 20, TOP_AMOUNTS.others),
      moment(price, 0, 0, 10, '-'),
    ]);
  }
  const counts = [1, 2, 3, 4, 5, 10, 100];
  const amounts = ['-', TOP_AMOUNTS.majors, TOP_AMOUNTS.others];
  return [0, 1].map(() =>
    moment(
      900 + random.below(200),
      random.below(5000),
      random.below(2000),
      counts[random.below(counts.length)],
      amounts[random.below(amounts.length)],
    ),
  );
}

/** A market with some of its fields changed: plausible values, and now and then extreme ones. */
export function changedMarket({ name, bytes: original }, random) {
  const bytes = Buffer.from(original);
  const pick = (values) => values[random.below(values.length)];
  const some = (change) => random.below(2) === 0 && change();
  const price = bytes.readBigInt64LE(AT.lastOraclePrice);
  const near = () => (price * BigInt(980 + random.below(41))) / 1000n;
  const signed128 = (value, at) => {
    bytes.writeBigUInt64LE(BigInt.asUintN(64, value), at);
    bytes.writeBigUInt64LE(BigInt.asUintN(64, value >> 64n), at + 8);
  };
  const money = () => BigInt(pick([0, 1, 10, 1e3, 1e6])) * BigInt(random.below(2e6)) * 1000n;
  const either = (value) => (random.below(2) === 0 ? value : -value);
  some(() =>
    bytes.writeUInt8(pick([0, 1, 50, 100, 101, 110, 150, 199, 200, 255]), AT.curveUpdateIntensity),
  );
  some(() => bytes.writeUInt32LE(pick([0, 1, 101, 250, 333, 1000]), AT.baseSpread));
  some(() => bytes.writeUInt32LE(pick([0, 1, 500, 5001, 33333, 142500]), AT.maxSpread));
  some(() => {
    const base = bytes.readBigUInt64LE(AT.baseAssetReserve);
    signed128(either((base * BigInt(random.below(200))) / 1000n), AT.baseAssetAmountWithAmm);
  });
  some(() => signed128(either(BigInt(random.below(2e9))), AT.baseAssetAmountWithUnsettledLp));
  some(() => signed128(either(money()), AT.totalFeeMinusDistributions));
  some(() => signed128(money(), AT.totalExchangeFee));
  some(() => bytes.writeBigInt64LE(either(money()), AT.netRevenueSinceLastFunding));
  some(() =>
    bytes.writeBigInt64LE(either(near() * BigInt(random.below(20))), AT.last24hAvgFundingRate),
  );
  for (const at of [AT.lastOraclePriceTwap, AT.lastOraclePriceTwap5min]) {
    some(() => bytes.writeBigInt64LE(near(), at));
  }
  for (const at of [AT.lastMarkPriceTwap, AT.lastMarkPriceTwap5min]) {
    some(() => bytes.writeBigInt64LE(near(), at));
  }
  for (const at of [AT.markStd, AT.oracleStd]) {
    some(() => bytes.writeBigInt64LE(price / BigInt(pick([10, 100, 1000, 100000])), at));
  }
  for (const at of [AT.volume24h, AT.longIntensityVolume, AT.shortIntensityVolume]) {
    some(() => bytes.writeBigInt64LE(money(), at));
  }
  some(() =>
    bytes.writeBigInt64LE(BigInt(pick([0, 100, 2500, 2501, 40000])), AT.lastOracleConfPct),
  );
  some(() => bytes.writeInt8(either(random.below(120)), AT.ammSpreadAdjustment));
  some(() => bytes.writeInt8(either(random.below(120)), AT.ammInventorySpreadAdjustment));
  some(() => bytes.writeInt32LE(either(random.below(20000)), AT.referencePriceOffset));
  some(() => bytes.writeUInt8(random.below(101), AT.referencePriceOffsetDeadbandPct));
  if (random.below(8) === 0) bytes.writeUInt8(2, AT.contractType);
  if (random.below(8) === 0) bytes.writeUInt8(2, AT.pausedOperations);
  return { name: `${name}, changed`, bytes };
}
