/** Fills as the program may log them: with each member that a fill may lack, and of every size that there is. */
import type { Fill } from '../../src/history/model/records.js';
import { accountKey, fill } from '../../src/history/store/testing.js';
import type { Random } from '../../src/sim/random.js';

const EXPLANATIONS = ['orderFilledWithMatch', 'orderFilledWithAmm', 'liquidation', 'none'];
const ACCOUNTS = 90;

/** A random fill: most are typical, some have rare fields. */
export function randomFill(
  random: Random,
  parts: Pick<Fill, 'ts' | 'fillRecordId' | 'index'>,
): Fill {
  const price = BigInt(random.nextBetween(149_000_000, 151_000_000));
  const base = BigInt(random.nextBetween(1, 500)) * 10_000_000n + BigInt(random.oneIn(4) ? 1 : 0);
  const quote = (base * price) / 1_000_000_000n;
  const small = () => BigInt(random.nextSkewed(1_000_000));
  const account = () => accountKey(random.nextSkewed(ACCOUNTS));
  const maybe = <Value>(value: Value): Value | null => (random.oneIn(8) ? null : value);
  const isAmm = random.oneIn(4);
  const side = () => ({
    orderBase: maybe(base + small() * BigInt(random.nextBelow(2))),
    filledBase: maybe(base + small() * BigInt(random.nextBelow(2))),
    filledQuote: maybe(quote + small()),
  });
  const [taker, maker] = [side(), isAmm ? undefined : side()];
  return fill({
    ...parts,
    actionExplanation: random.pickOne(EXPLANATIONS) ?? 'none',
    ...{ baseAssetAmountFilled: base, quoteAssetAmountFilled: quote },
    ...{ oraclePrice: price + small() - small(), bitFlags: random.nextSkewed(256) },
    ...{ filler: maybe(account()), fillerReward: maybe(small()) },
    ...{ referrerReward: maybe(Number(small())), quoteAssetAmountSurplus: maybe(-small()) },
    spotFulfillmentMethodFee: random.oneIn(8) ? small() : null,
    ...{ taker: maybe(account()), takerOrderId: maybe(random.nextSkewed(2 ** 32)) },
    ...{ takerOrderDirection: random.pickOne(['long', 'short', null] as const) ?? null },
    takerFee: maybe(small()),
    takerOrderBaseAssetAmount: taker.orderBase,
    takerOrderCumulativeBaseAssetAmountFilled: taker.filledBase,
    takerOrderCumulativeQuoteAssetAmountFilled: taker.filledQuote,
    ...{ maker: isAmm ? null : account(), makerOrderId: isAmm ? null : random.nextBelow(100) },
    makerOrderDirection: isAmm ? null : 'short',
    makerFee: isAmm ? null : -small(),
    makerOrderBaseAssetAmount: maker?.orderBase ?? null,
    makerOrderCumulativeBaseAssetAmountFilled: maker?.filledBase ?? null,
    makerOrderCumulativeQuoteAssetAmountFilled: maker?.filledQuote ?? null,
  });
}
