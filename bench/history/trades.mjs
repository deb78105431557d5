/**
 * Trades of a busy exchange, each made from its number alone: the same number gives the same trade
 * in any order, so that a store's answers are compared with the written trades without recording
 * them. Two fills a transaction, one transaction a slot; three of five trades are of the first
 * market.
 */
import { encodeBase58 } from '../../dist/src/history/store/base58.js';
import { transaction } from '../../dist/src/history/store/testing.js';

export const MARKETS = 20;
const ACCOUNTS = 20_000;
const FILLERS = 30;
const FIRST_SLOT = 300_000_000;
const FIRST_TS = 1_700_006_400;
const SLOTS_PER_SECOND = 2.5;

const keys = new Map();

/** The key of an account. */
function account(number) {
  const known = keys.get(number);
  if (known !== undefined) return known;
  const key = encodeBase58(scatter(number, 32));
  keys.set(number, key);
  return key;
}

/** Bytes that look random, the same for the same number. */
function scatter(number, length) {
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < length; at += 4) view.setUint32(at, mix(number + at * 0x1000193));
  return bytes;
}

/** A 32-bit hash: xorshift and two multiplications. */
function mix(number) {
  let hash = Math.imul(number ^ (number >>> 16), 0x45d9f3b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The market of a trade. */
export function marketOf(number) {
  return number % 5 < 3 ? 0 : 1 + (number % (MARKETS - 1));
}

/** The `nth` trade of the first market, from 0. */
export function ofFirstMarket(nth) {
  return Math.floor(nth / 3) * 5 + (nth % 3);
}

/** Unix seconds of a trade. */
export function tsOf(number) {
  return FIRST_TS + Math.floor((number >> 1) / SLOTS_PER_SECOND);
}

/** The slot of a trade. */
export function slotOf(number) {
  return FIRST_SLOT + (number >> 1);
}

/** The fill of a number. */
export function fillOf(number, fillRecordId) {
  const dice = mix(number);
  const base = BigInt(1 + (dice % 5_000)) * 10_000_000n;
  const price = BigInt(100_000_000 + (number % 1_000) * 1_000 + (dice % 50_000));
  const quote = (base * price) / 1_000_000_000n;
  const isMatch = dice % 4 !== 0;
  return {
    index: 1 + (number & 1) * 2,
    ts: tsOf(number),
    action: 'fill',
    actionExplanation: isMatch ? 'orderFilledWithMatch' : 'orderFilledWithAmm',
    marketIndex: marketOf(number),
    marketType: 'perp',
    filler: account(dice % FILLERS),
    fillerReward: 10_000n,
    fillRecordId,
    baseAssetAmountFilled: base,
    quoteAssetAmountFilled: quote,
    takerFee: quote / 2_000n,
    makerFee: isMatch ? -(quote / 10_000n) : null,
    referrerReward: null,
    quoteAssetAmountSurplus: 0n,
    spotFulfillmentMethodFee: null,
    taker: account(mix(dice) % ACCOUNTS),
    takerOrderId: dice % 100_000,
    takerOrderDirection: dice % 2 === 0 ? 'long' : 'short',
    takerOrderBaseAssetAmount: base * 2n,
    takerOrderCumulativeBaseAssetAmountFilled: base,
    takerOrderCumulativeQuoteAssetAmountFilled: quote,
    maker: isMatch ? account(mix(dice + 1) % ACCOUNTS) : null,
    makerOrderId: isMatch ? dice % 90_000 : null,
    makerOrderDirection: isMatch ? (dice % 2 === 0 ? 'short' : 'long') : null,
    makerOrderBaseAssetAmount: isMatch ? base * 3n : null,
    makerOrderCumulativeBaseAssetAmountFilled: isMatch ? base * 2n : null,
    makerOrderCumulativeQuoteAssetAmountFilled: isMatch ? quote * 2n : null,
    oraclePrice: price + 1_000n,
    bitFlags: 0,
    takerExistingQuoteEntryAmount: null,
    takerExistingBaseAssetAmount: null,
    makerExistingQuoteEntryAmount: null,
    makerExistingBaseAssetAmount: null,
  };
}

/** The transactions of the trades from `from` to before `to`, both even; `ids` counts each market. */
export function transactionsOf(from, to, ids) {
  const transactions = [];
  for (let number = from; number < to; number += 2) {
    const nth = number >> 1;
    transactions.push(
      transaction({
        signature: encodeBase58(scatter(nth, 64)),
        slot: slotOf(number),
        place: 0,
        isFinal: true,
        fills: [number, number + 1].map((one) => fillOf(one, nextId(ids, marketOf(one)))),
      }),
    );
  }
  return transactions;
}

function nextId(ids, market) {
  ids[market] += 1n;
  return ids[market];
}
