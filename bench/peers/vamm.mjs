/**
 * The SDK's quotes of a perp market's AMM, from the bytes of its account. The commands are those of
 * `bench/core/src/vamm.rs`.
 */
import { createRequire } from 'node:module';
import { BorshAccountsCoder } from '@coral-xyz/anchor';
import sdk from '@drift-labs/sdk';

const { BN, isVariant } = sdk;
const idl = createRequire(import.meta.url)('@drift-labs/sdk/lib/node/idl/drift.json');
const coder = new BorshAccountsCoder(idl);

// The SDK logs prices of zero to standard output, which carries the responses.
console.log = () => {};

/** `vamm HEX PRICE CONFIDENCE NOW SLOT COUNT AMOUNTS`: the quotes and levels of a moment. */
export function vamm(...words) {
  const asked = parse(words);
  try {
    return { ...quoted(asked), ...levels(asked) };
  } catch {
    // An overflow or a division by zero: the SDK has no quote.
    return { none: true };
  }
}

/** `vammtime HEX PRICE CONFIDENCE NOW SLOT COUNT AMOUNTS REPEATS`: levels of both sides, timed. */
export function vammtime(clock, ...words) {
  const asked = parse(words.slice(0, -1));
  const repeats = Number(words.at(-1));
  let levels = 0;
  globalThis.gc();
  const started = clock.start();
  for (let pass = 0; pass < repeats; pass++) {
    const { getL2Bids, getL2Asks } = generator(asked);
    for (const _ of getL2Bids()) levels++;
    for (const _ of getL2Asks()) levels++;
  }
  return { ...clock.stop(started, repeats), levels: levels / repeats };
}

function parse([hex, price, confidence, now, slot, count, amounts]) {
  const oracle = { price: new BN(price), confidence: new BN(confidence), slot: new BN(slot) };
  return {
    market: coder.decode('PerpMarket', Buffer.from(hex, 'hex')),
    oracle: { ...oracle, hasSufficientNumberOfDataPoints: true, isMMOracleActive: false },
    now: new BN(now),
    slot: new BN(slot),
    count: Number(count),
    amounts: amounts === '-' ? [] : amounts.split(',').map((amount) => new BN(amount)),
  };
}

function generator({ market, oracle, now, slot, count, amounts }) {
  return sdk.getVammL2Generator({
    marketAccount: market,
    mmOraclePriceData: oracle,
    numOrders: count,
    now,
    topOfBookQuoteAmounts: amounts,
    latestSlot: slot,
  });
}

function levels(asked) {
  const { getL2Bids, getL2Asks } = generator(asked);
  const pairs = (side) => Array.from(side(), ({ price, size }) => [text(price), text(size)]);
  return { bids: pairs(getL2Bids), asks: pairs(getL2Asks) };
}

const text = (number) => number.toString();

function quoted({ market, oracle, now, slot }) {
  const amm = sdk.calculateUpdatedAMM(market.amm, oracle);
  const price = (reserves) =>
    sdk.calculatePrice(reserves.baseAssetReserve, reserves.quoteAssetReserve, amm.pegMultiplier);
  const spreads = sdk.calculateSpread(amm, oracle, now, price(amm));
  const isPrediction = isVariant(market.contractType, 'prediction');
  const reserves = sdk.calculateSpreadReserves(amm, oracle, now, isPrediction, slot);
  const open = sdk.calculateMarketOpenBidAsk(
    amm.baseAssetReserve,
    amm.minBaseAssetReserve,
    amm.maxBaseAssetReserve,
    amm.orderStepSize,
  );
  const pair = ({ baseAssetReserve, quoteAssetReserve }) => [baseAssetReserve, quoteAssetReserve];
  return {
    curve: [...pair(amm), amm.sqrtK, amm.pegMultiplier, amm.terminalQuoteAssetReserve].map(text),
    earned: [amm.totalFeeMinusDistributions, amm.netRevenueSinceLastFunding].map(text),
    reservePrice: text(price(amm)),
    spreads: spreads.map(text),
    bid: [...pair(reserves[0]), price(reserves[0])].map(text),
    ask: [...pair(reserves[1]), price(reserves[1])].map(text),
    open: open.map((size) => text(size.abs())),
  };
}
