/**
 * The walk of the SDK, `calculateEstimatedPerpEntryPrice`, along a loaded book. It interleaves the
 * AMM, which ours walks after the book, so both use a market whose AMM has no liquidity.
 */
import sdk from '@drift-labs/sdk';

const { BN, PositionDirection, calculateEstimatedPerpEntryPrice } = sdk;

/** The fills of takers of these sizes: base, quote and worst price. */
export function walks(book, ...sizes) {
  const side = (direction) => sizes.map((size) => texts(estimator(book, direction, size)()));
  return { walks: [...side('LONG'), ...side('SHORT')] };
}

/** Times a buyer and a seller of this size by turns. */
export function walk({ start, stop }, book, size, repeats) {
  const runs = ['LONG', 'SHORT'].map((direction) => estimator(book, direction, size));
  let bits = 0;
  globalThis.gc();
  const clock = start();
  for (let pass = 0; pass < Number(repeats); pass++) {
    for (const run of runs) bits += run().quoteFilled.bitLength();
  }
  return { ...stop(clock, runs.length * Number(repeats)), bits };
}

/** The call, ready to be made: everything that is not the walk is done. */
function estimator({ dlob, slot, price }, direction, size) {
  const market = marketWithoutAmm(price);
  const oracle = {
    price: new BN(price),
    slot: new BN(slot),
    confidence: new BN(1),
    hasSufficientNumberOfDataPoints: true,
  };
  const [amount, side] = [new BN(size), PositionDirection[direction]];
  return () => calculateEstimatedPerpEntryPrice('base', amount, side, market, oracle, dlob, slot);
}

/** Reserves at both of their bounds leave nothing open, and the curve is not updated. */
function marketWithoutAmm(price) {
  const reserve = new BN('1000000000000000');
  const amm = {
    baseAssetReserve: reserve,
    quoteAssetReserve: reserve,
    sqrtK: reserve,
    minBaseAssetReserve: reserve,
    maxBaseAssetReserve: reserve,
    pegMultiplier: new BN(price),
    orderStepSize: new BN(10_000_000),
    baseSpread: 0,
    curveUpdateIntensity: 0,
    referencePriceOffset: 0,
    ammSpreadAdjustment: 0,
    baseAssetAmountWithAmm: new BN(0),
  };
  return { marketIndex: 0, amm };
}

function texts({ baseFilled, quoteFilled, worstPrice }) {
  return [baseFilled, quoteFilled, worstPrice].map(String);
}
