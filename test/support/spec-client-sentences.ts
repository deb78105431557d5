/**
 * The sentences of the specification's client sections about read models, in its own words, rows of
 * tables written out, each under a short id: see `spec-sentences.ts`.
 */
export const CLIENT_SENTENCES = {
  // "Client-side read models": the table of account data.
  'account-sub-account-id': 'Account data: subAccountId, number, subaccount index.',
  'account-authority': 'Account data: authority, public key, wallet owning the account.',
  'account-name': 'Account data: name, string, user-assigned account name.',
  'account-pool-id': 'Account data: poolId, number, pool of the account.',
  'account-open-perp-positions':
    'Account data: openPerpPositions, list of perp position info, active perp positions.',
  'account-open-orders': 'Account data: openOrders, list of serializable orders, open orders.',
  'account-spot-balances':
    'Account data: spotBalances, list of spot balance info, balance per spot market.',
  'account-margin-info': 'Account data: marginInfo, margin info: net USD value, leverage, health.',

  // "Perp position info".
  'position-market-index': 'Perp position info: marketIndex.',
  'position-direction': 'Perp position info: direction (long or short).',
  'position-base-size': 'Perp position info: baseSize.',
  'position-notional-size': 'Perp position info: notionalSize.',
  'position-entry-price': 'Perp position info: entryPrice.',
  'position-liquidation-price': 'Perp position info: liquidationPrice.',
  'position-pnl': 'Perp position info: positionPnl.markBased.positionNotionalPnl (unrealized PnL).',
  'position-pnl-percentage':
    'Perp position info: positionPnl.markBased.positionPnlPercentage (number).',
  'position-fees-and-funding':
    'Perp position info: feesAndFundingPnl (cumulative fees plus funding).',
  'position-cost-basis': 'Perp position info: costBasis.',
  'position-break-even': 'Perp position info: quoteBreakEvenAmount.',
  'position-unsettled': 'Perp position info: totalUnsettledPnl.',
  'position-claimable': 'Perp position info: totalClaimablePnl.',
  'position-settled': 'Perp position info: totalSettledPnl.',
  'position-amounts': 'Amount fields are big-number values.',

  // "Order".
  'order-model-id': 'Order: orderId; marketIndex; direction.',
  'order-model-price': 'Order: price (limit price, zero for market orders).',
  'order-model-trigger': 'Order: triggerPrice (for stop and take-profit); triggerCondition.',
  'order-model-size': 'Order: baseAssetAmount (total size); baseAssetAmountFilled.',
  'order-model-offset': 'Order: oraclePriceOffset.',
  'order-model-flags':
    'Order: reduceOnly (boolean); postOnly (boolean); immediateOrCancel (boolean).',
  'order-model-type': 'Order: orderType.',
  'order-model-label':
    'A human-readable label is derived from order type, trigger condition, direction and oracle offset (for example limit, stop market, oracle limit).',

  // The rest of the section, and of "Client-side access".
  'balance-model':
    'Spot balance info: marketIndex; baseBalance (token amount in market precision).',
  'cache-keys':
    'Client-side caches are keyed by market or by account key (subaccount id with authority).',
  'access-local-book': 'A client can hold a local order book built from chain subscriptions.',
  'access-local-frequency':
    'A local order book: update frequency configurable (1000 in the example, milliseconds).',
  'access-local-best': 'A local order book can be asked for best bid and best ask by market index.',
  'access-auctions': 'A client can subscribe to active auctions.',
  'access-signed-msg':
    'A predicate on an order tells whether it originated from a signed-message order, when both signed-message and on-chain feeds are subscribed.',
} as const;
