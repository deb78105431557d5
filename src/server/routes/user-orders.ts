/** /user/{account}/orders: the open orders of a user account. */
import { Type } from '@sinclair/typebox';
import { identity, orderMembers, size, state, version } from '../api/book-parts.js';
import { publicKey, wordSchema } from '../api/param-parts.js';
import { checkRequest } from '../api/request-params.js';
import { count, marketType, text, textOrNull } from '../api/schema-parts.js';
import { type Header, jsonHeaders } from '../transport/reply.js';
import { auction } from './auctions.js';
import { requireFirstBook } from './book-routes.js';
import type { Path } from './path.js';

/** The parameters of the path. */
export const userOrdersParams = Type.Object({
  account: publicKey('The user account, not its authority.'),
});

/** A row of the open orders. */
export const openOrder = Type.Object({
  marketName: text('Name of the market.'),
  marketType,
  marketIndex: count('Index among the markets of its type.'),
  ...Type.Omit(Type.Object(orderMembers), ['maker']).properties,
  userOrderId: count('The number that the user gave it; 0 for none.'),
  orderType: auction.properties.orderType,
  direction: auction.properties.direction,
  price: auction.properties.price,
  baseAssetAmount: auction.properties.baseAssetAmount,
  baseAssetAmountFilled: auction.properties.baseAssetAmountFilled,
  quoteAssetAmountFilled: size('Filled so far, in quote at 1e6.'),
  triggerPrice: size('At 1e6; 0 for none.'),
  triggerCondition: wordSchema(['above', 'below', 'triggeredAbove', 'triggeredBelow'], {
    description: 'The condition of a trigger order, met or not.',
  }),
  immediateOrCancel: Type.Boolean(),
  auctionStartPrice: auction.properties.auctionStartPrice,
  auctionEndPrice: auction.properties.auctionEndPrice,
  auctionDuration: auction.properties.auctionDuration,
  leftOut: textOrNull('Why the book does not show it, as in /status; null when it does.'),
});

const headers: readonly Header[] = [...jsonHeaders, ['Cache-Control', 'no-cache']];

/** The path. */
export const userOrders = {
  kind: 'data',
  errors: ['INVALID_PARAM', 'OUT_OF_RANGE', 'NOT_READY'],
  summary: 'The open orders of a user account, those that the book does not show as well',
  params: userOrdersParams,
  body: {
    name: 'OpenOrders',
    schema: Type.Object({
      account: text('The user account.'),
      orders: Type.Array(openOrder, {
        maxItems: 32,
        description: 'In the order of the account; of markets that are not served, none.',
      }),
      slot: identity.slot,
      epoch: version.epoch,
      state,
    }),
  },
  open:
    ({ book, readiness }) =>
    ({ query }, pathTexts) => {
      requireFirstBook(readiness());
      const { account } = checkRequest(userOrdersParams, { query, pathTexts });
      return { status: 200, headers, body: book.openOrders(account) };
    },
} as const satisfies Path;
