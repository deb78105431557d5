/** Records of accounts in the format of the Drift v2 data API. */
import { type TProperties, Type } from '@sinclair/typebox';
import { wordSchema } from './param-parts.js';
import { slot, ts, txSig, txSigIndex } from './record-parts.js';
import {
  trimmed as amount,
  base,
  count,
  fixed,
  id,
  marketIndex,
  price,
  quote,
  symbol,
  text,
} from './schema-parts.js';

const user = text('The user account.');
const userAuthority = text('The authority of the user account.');
const rate = (description: string) => fixed(9, `${description}.`);
const record = (members: TProperties) => Type.Object({ ts, txSig, txSigIndex, slot, ...members });

/** What a user paid or got for funding. */
export const fundingPaymentRecord = record({
  userAuthority,
  user,
  marketIndex,
  symbol,
  fundingPayment: quote('What the user got; negative is a payment'),
  baseAssetAmount: base('The position'),
  userLastCumulativeFunding: rate('The sum of rates up to the payment before'),
  ammCumulativeFundingLong: rate('The sum of what longs paid'),
  ammCumulativeFundingShort: rate('The sum of what shorts got'),
});

/** A deposit or a withdrawal. */
export const depositRecord = record({
  depositRecordId: id('Counts the deposits and withdrawals of the market.'),
  userAuthority,
  user,
  direction: text('`deposit` or `withdraw`.'),
  amount: amount('In the token.'),
  marketIndex,
  symbol,
  oraclePrice: price('Of the oracle'),
  marketDepositBalance: rate('Scaled balance of all deposits'),
  marketWithdrawBalance: rate('Scaled balance of all borrows'),
  marketCumulativeDepositInterest: fixed(10, 'What a scaled deposit is worth.'),
  marketCumulativeBorrowInterest: fixed(10, 'What a scaled borrow is worth.'),
  totalDepositsAfter: quote('All deposits of the user so far'),
  totalWithdrawsAfter: quote('All withdrawals of the user so far'),
  explanation: text('Why, such as `none`, `transfer` or `borrow`.'),
  transferUser: text('The other user account of a transfer; else empty.'),
  signer: text('Who signed, where the record says it; else empty.'),
  userTokenAmountAfter: amount("The user's balance in the token, where the record says it."),
});

/** Profit or loss that was settled. */
export const settlePnlRecord = record({
  user,
  marketIndex,
  symbol,
  pnl: quote('What was settled'),
  baseAssetAmount: base('The position'),
  quoteAssetAmountAfter: quote('Quote of the position afterwards'),
  quoteEntryAmount: quote('Quote at which it was entered'),
  settlePrice: price('At which it was settled'),
  explanation: text('Why, such as `none` or `expiredPosition`.'),
});

const part = (members: TProperties) => Type.Object(members);

/** A step of a liquidation. */
export const liquidationRecord = record({
  liquidationType: text('Which of the objects counts, such as `liquidatePerp`.'),
  user,
  liquidator: text('The user account of the liquidator.'),
  marginRequirement: quote('Of the user'),
  totalCollateral: quote('Of the user'),
  marginFreed: quote('By this step'),
  liquidationId: count('Counts the liquidations of the user.'),
  bankrupt: Type.Boolean({ description: 'Whether the user is bankrupt.' }),
  canceledOrderIds: Type.Array(count('Id of an order.'), { description: 'Cancelled orders.' }),
  liquidatePerp: part({
    marketIndex,
    oraclePrice: price('Of the oracle'),
    baseAssetAmount: base('Taken over'),
    quoteAssetAmount: quote('Taken over'),
    lpShares: amount('Shares of liquidity that were burned; the integer of the program.'),
    fillRecordId: id('The number of the fill.'),
    userOrderId: id('Order of the user.'),
    liquidatorOrderId: id('Order of the liquidator.'),
    liquidatorFee: quote('To the liquidator'),
    ifFee: quote('To the insurance fund'),
    protocolFee: quote('To the protocol'),
  }),
  liquidateSpot: part({
    assetMarketIndex: marketIndex,
    assetPrice: price('Of the asset'),
    assetTransfer: amount('Of the asset; the integer of the program.'),
    liabilityMarketIndex: marketIndex,
    liabilityPrice: price('Of the liability'),
    liabilityTransfer: amount('Of the liability; the integer of the program.'),
    ifFee: amount('To the insurance fund; the integer of the program.'),
    protocolFee: amount('To the protocol; the integer of the program.'),
  }),
  liquidateBorrowForPerpPnl: part({
    perpMarketIndex: marketIndex,
    marketOraclePrice: price('Of the perp market'),
    pnlTransfer: quote('Profit that was taken over'),
    liabilityMarketIndex: marketIndex,
    liabilityPrice: price('Of the liability'),
    liabilityTransfer: amount('Of the liability; the integer of the program.'),
  }),
  liquidatePerpPnlForDeposit: part({
    perpMarketIndex: marketIndex,
    marketOraclePrice: price('Of the perp market'),
    pnlTransfer: quote('Loss that was taken over'),
    assetMarketIndex: marketIndex,
    assetPrice: price('Of the asset'),
    assetTransfer: amount('Of the asset; the integer of the program.'),
  }),
  perpBankruptcy: part({
    marketIndex,
    pnl: quote('That nobody covers'),
    ifPayment: quote('Of the insurance fund'),
    clawbackUser: text('A user account; else empty.'),
    clawbackUserPayment: quote('Of that user'),
    cumulativeFundingRateDelta: rate('What all others pay'),
  }),
  spotBankruptcy: part({
    marketIndex,
    borrowAmount: amount('That nobody covers; the integer of the program.'),
    ifPayment: amount('Of the insurance fund; the integer of the program.'),
    cumulativeDepositInterestDelta: fixed(10, 'What all depositors pay.'),
  }),
});

/** A new order. */
export const orderRecord = record({
  user,
  status: text('As logged, `open`.'),
  orderType: text('Such as `limit` or `triggerMarket`.'),
  marketType: text('`perp` or `spot`.'),
  orderId: count('Id among the orders of the user.'),
  userOrderId: count('The number that the user gave it; 0 for none.'),
  marketIndex,
  symbol,
  price: price('Limit; 0 for none'),
  baseAssetAmount: base('Size'),
  baseAssetAmountFilled: base('Filled by its last action'),
  quoteAssetAmountFilled: quote('Filled by its last action'),
  direction: text('`long` or `short`.'),
  reduceOnly: Type.Boolean(),
  triggerPrice: price('0 for none'),
  triggerCondition: text('What a trigger order waits for.'),
  existingPositionDirection: text('`long` or `short`.'),
  postOnly: Type.Boolean(),
  immediateOrCancel: Type.Boolean(),
  oraclePriceOffset: price('Added to the price of the oracle; 0 for none'),
  auctionDuration: count('In slots.'),
  auctionStartPrice: price('Of the auction'),
  auctionEndPrice: price('Of the auction'),
  maxTs: amount('Unix time in seconds at which it expires; 0 for never.'),
  bitFlags: count('As on chain.'),
  lastActionStatus: wordSchema(
    [
      ...['open', 'trigger', 'partial_fill', 'filled'],
      ...['cancelled', 'partial_fill_cancelled', 'expired'],
    ],
    { description: 'What the last action made of it.' },
  ),
  lastActionExplanation: text('Of the last action; `none` without one.'),
  lastUpdatedTs: count('Unix time in seconds of the last action, else of the placement.'),
  cumulativeFee: quote('Fees of its fills, less rebates'),
});

/** A new user account. */
export const newUserRecord = record({
  userAuthority,
  user,
  subAccountId: count('Number among the accounts of the authority.'),
  name: text('As the authority named it.'),
  referrer: text('The authority of the referrer.'),
});
