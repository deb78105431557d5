/** The records of a user account, and the accounts of an authority. */
import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { AccountRecordKind } from '../../contract/history-queries.js';
import {
  depositRecord,
  fundingPaymentRecord,
  liquidationRecord,
  newUserRecord,
  orderRecord,
  settlePnlRecord,
} from '../api/account-record-parts.js';
import { marketOf } from '../api/market-params.js';
import { pageOf } from '../api/page-params.js';
import { page, publicKey, rows, symbol, wholeSchema } from '../api/param-parts.js';
import { envelope, paged, tradeRecord } from '../api/record-parts.js';
import { text } from '../api/schema-parts.js';
import { accountQueryBy, ofHistory } from './history-paths.js';
import type { Path } from './path.js';
import { userOrdersParams } from './user-orders.js';

const errors = ['INVALID_PARAM', 'OUT_OF_RANGE', 'NOT_READY', 'LIMIT_EXCEEDED'] as const;

const place = {
  limit: rows('Records', { max: LIMITS.tradesMax, byDefault: LIMITS.recordsDefault }),
  page,
};
const accountParams = Type.Object({ ...userOrdersParams.properties, ...place });
const marketParams = Type.Object({ ...accountParams.properties, symbol });
const authorityParams = Type.Object({
  key: publicKey('The authority of user accounts.'),
  ...place,
});
const orderParams = Type.Object({
  ...userOrdersParams.properties,
  orderId: wholeSchema({ min: 0, max: 2 ** 32 - 1 }, 'Id of the order.'),
});

/** A kind of records, and their bodies. */
interface AccountRecords {
  readonly records: AccountRecordKind;
  readonly name: string;
  readonly record: TObject<TProperties>;
  readonly summary: string;
  /** Whether records of spot markets are left out. */
  readonly isPerp?: boolean;
  /** With `symbol` for a path of one market. */
  readonly params?: typeof accountParams | typeof marketParams;
}

/** The values of `accountParams`, or those of `marketParams`. */
type AccountParams = Static<typeof accountParams> & { readonly symbol?: string };

/** The paths of records by account. */
function recordsPath(options: AccountRecords) {
  const { records, name, record, summary, isPerp = false, params = accountParams } = options;
  const isOfMarket = params === marketParams;
  return {
    ...ofHistory,
    summary: `${summary} of a user account${isOfMarket ? ' in one market' : ''}, newest first`,
    body: { name, schema: envelope(record, paged) },
    errors: isOfMarket ? ofHistory.errors : errors,
    ...accountQueryBy(params, ({ account, symbol: name, ...at }: AccountParams, markets) => {
      const market = name === undefined ? {} : { market: marketOf(name, markets) };
      const kinds = isPerp ? { isPerp } : {};
      return { kind: 'account', records, account, ...kinds, ...market, ...pageOf(at) };
    }),
  } as const satisfies Path;
}

/** What it paid or got for funding. */
export const userFundingPayments = recordsPath({
  records: 'fundingPayment',
  name: 'FundingPaymentRecords',
  record: fundingPaymentRecord,
  summary: 'The funding payments',
});

/** What was deposited and withdrawn. */
export const userDeposits = recordsPath({
  records: 'deposit',
  name: 'DepositRecords',
  record: depositRecord,
  summary: 'The deposits and withdrawals',
});

/** Profit and loss that was settled. */
export const userSettlePnl = recordsPath({
  records: 'settlePnl',
  name: 'SettlePnlRecords',
  record: settlePnlRecord,
  summary: 'The settled profit and loss',
});

/** How it was liquidated. */
export const userLiquidations = recordsPath({
  records: 'liquidation',
  name: 'LiquidationRecords',
  record: liquidationRecord,
  summary: 'The liquidations',
});

const ofOrders = {
  records: 'order',
  name: 'OrderRecords',
  record: orderRecord,
  summary: 'The orders in perp markets, as they were placed,',
  isPerp: true,
} as const;

/** The orders that it placed. */
export const userPlacedOrders = recordsPath(ofOrders);

/** Those in one market. */
export const userMarketOrders = recordsPath({ ...ofOrders, params: marketParams });

const ofTrades = {
  records: 'trade',
  name: 'UserTradeRecords',
  record: Type.Object({
    ...tradeRecord.properties,
    user: text('The account that was asked for.'),
  }),
  summary: 'The trades',
} as const;

/** The trades in all markets. */
export const userTrades = recordsPath(ofTrades);

/** The trades in one market. */
export const userMarketTrades = recordsPath({ ...ofTrades, params: marketParams });

/** Everything of one order. */
export const userOrder = {
  ...ofHistory,
  summary: 'An order of a user account: how it was placed, and each action on it, oldest first',
  ...accountQueryBy(orderParams, (params) => ({ kind: 'order', ...params })),
  body: {
    name: 'OrderLife',
    schema: Type.Object({
      success: Type.Literal(true),
      record: Type.Union([orderRecord, Type.Null()], {
        description: 'How it was placed; null where that is not stored.',
      }),
      actions: Type.Array(
        Type.Object({ ...tradeRecord.properties, action: Type.String(), maker: Type.String() }),
        { description: 'Each place, fill, trigger, cancellation and expiry, oldest first.' },
      ),
    }),
  },
  errors,
} as const satisfies Path;

/** The accounts of an authority. */
export const authorityAccounts = {
  ...ofHistory,
  summary: 'The user accounts that an authority has made, newest first',
  ...accountQueryBy(authorityParams, ({ key, ...at }) => {
    return { kind: 'account', records: 'newUser', account: key, ...pageOf(at) };
  }),
  body: { name: 'NewUserRecords', schema: envelope(newUserRecord, paged) },
  errors,
} as const satisfies Path;
