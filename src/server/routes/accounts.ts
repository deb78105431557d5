/**
 * /accounts/{account} and /accounts: what an account has, and where its orders stand. The core
 * renders accounts of the book; an account that the book does not hold is read from the node.
 */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { ReadAccount } from '../../contract/account-source.js';
import type { QueuedClient } from '../../contract/fair-share.js';
import { nullable, size, state, version } from '../api/book-parts.js';
import { error } from '../api/error-bodies.js';
import { batchEntry, splitLists } from '../api/list-params.js';
import { checkParams } from '../api/param-check.js';
import { publicKey } from '../api/param-parts.js';
import { checkRequest } from '../api/request-params.js';
import { count, countOrNull, signed, text, textOrNull } from '../api/schema-parts.js';
import { queuedClient } from '../transport/client-address.js';
import { ServerError } from '../transport/errors.js';
import { type Header, jsonHeaders } from '../transport/reply.js';
import { requireFirstBook } from './book-routes.js';
import type { Path, PathService, Route } from './path.js';
import { nodeFailure } from './spaced-reads.js';
import { accountReadsOf } from './top-makers.js';
import { openOrder, userOrdersParams } from './user-orders.js';

const AMOUNT = '^-?[0-9]+$';
const quote = (description: string) => signed('quote', description);
const quoteOrNull = (description: string) => nullable('quote', AMOUNT, description);
const liquidationPrice = nullable(
  'price',
  AMOUNT,
  'At 1e6, with all other prices as they are; null where no price of this market leads there.',
);
const marketName = textOrNull('Name of the market; null for a market that is not known.');
const marketIndex = count('Index among the markets of its type.');

const account = Type.Object({
  account: text('The user account.'),
  authority: text('The wallet that owns it.'),
  subAccountId: count('Its number within the wallet.'),
  name: text('The name that its owner gave it.'),
  orders: Type.Array(
    Type.Object({
      ...openOrder.properties,
      priceNow: nullable('price', AMOUNT, 'Where it would fill now, at 1e6; null where it cannot.'),
      sizeNow: size('What of it would fill, at 1e9.'),
      ordersAhead: countOrNull('Orders before it at its price; null when it is not in the book.'),
      sizeAhead: nullable('base', AMOUNT, 'Their size at 1e9; null likewise.'),
      distance: nullable(
        'price',
        AMOUNT,
        'From the best price of its side, at 1e6; null likewise.',
      ),
    }),
    { maxItems: 32, description: 'Open orders, in the order of the account.' },
  ),
  positions: Type.Array(
    Type.Object({
      marketName,
      marketIndex,
      baseAssetAmount: signed('base', 'At 1e9; negative for a short position.'),
      quoteAssetAmount: quote('Its quote side with fees and funding, at 1e6.'),
      quoteEntryAmount: quote('The same at entry, without fees.'),
      quoteBreakEvenAmount: quote('The same with fees and settled funding.'),
      settledPnl: quote('Profit that was settled since it was opened.'),
      unsettledFunding: quoteOrNull('Funding that is owed to it; null without a price.'),
      unsettledPnl: quoteOrNull("Profit at the exchange oracle's price, with that funding."),
      claimablePnl: quoteOrNull('What of it can be settled now.'),
      liquidationPrice,
      isIsolated: Type.Boolean({ description: 'Whether it has collateral of its own.' }),
    }),
  ),
  balances: Type.Array(
    Type.Object({
      marketName,
      marketIndex,
      decimals: countOrNull('Decimals of the token.'),
      tokens: nullable('integer', AMOUNT, 'With interest, in its decimals; a debt is negative.'),
      value: quoteOrNull("At the oracle's price, at 1e6."),
      liquidationPrice,
    }),
  ),
  margin: Type.Union(
    [
      Type.Object({
        netUsdValue: quote('Balances, profits and isolated collateral, at 1e6.'),
        totalUnsettledPnl: quote("Profit of all positions at the makers' oracle, if it is used."),
        totalUnsettledFundingPnl: quote('Funding that is not settled.'),
        totalClaimablePnl: quote('What of the profits can be settled now.'),
        totalInitialMargin: quote('Collateral for new positions.'),
        totalMaintenanceMargin: quote('Collateral against liquidation.'),
        freeInitialMargin: quote('Free for new positions, by the worse of price and average.'),
        freeMaintenanceMargin: quote('Free before liquidation.'),
        initialReq: quote('Required by positions and orders, by the worse of price and average.'),
        maintenanceReq: quote('Below it the account is liquidated.'),
        leverage: signed('integer', 'Liabilities divided by net value, at 1e4.'),
        marginRatio: nullable(
          'integer',
          AMOUNT,
          'Net value divided by them, at 1e4; null for none.',
        ),
        health: count('0, being liquidated, to 100.'),
        settledPerpPnl: quote('Profit settled in all perp markets.'),
        cumulativePerpFunding: quote('Funding received in all perp markets; negative where paid.'),
      }),
      Type.Null(),
    ],
    { description: 'Null while the price of a market of the account is not known.' },
  ),
  slot: count('The newest slot of the book.'),
  epoch: version.epoch,
  state,
});

const path = {
  kind: 'data',
  errors: [
    'MISSING_PARAM',
    'INVALID_PARAM',
    'OUT_OF_RANGE',
    'RATE_LIMITED',
    'UNKNOWN_ACCOUNT',
    'NOT_READY',
  ],
} as const;

const headers: readonly Header[] = [...jsonHeaders, ['Cache-Control', 'no-cache']];

/** The path of one account. */
export const accountPath = {
  ...path,
  summary:
    'What an account has: orders with their places in the queue, positions, balances, margin',
  params: userOrdersParams,
  body: { name: 'Account', schema: account },
  open:
    (service: PathService): Route =>
    async (request, pathTexts) => {
      requireFirstBook(service.readiness());
      const { query } = request;
      const { account: key } = checkRequest(userOrdersParams, { query, pathTexts });
      const [data] = await readMissing([key], service, queuedClient(request));
      return { status: 200, headers, body: renderAccount(key, data, service) };
    },
} as const satisfies Path;

const accountsParams = Type.Object({
  accounts: Type.Optional(publicKey('User accounts; or authority.')),
  authority: Type.Optional(publicKey('A wallet: all of its accounts that the book holds.')),
});

/** The path of many accounts. */
export const accountsPath = {
  ...path,
  summary: `The same for at most ${LIMITS.accountsMax} accounts, or for those of a wallet`,
  params: accountsParams,
  style: 'lists',
  body: {
    name: 'Accounts',
    schema: Type.Object({
      accounts: Type.Array(
        Type.Union([account, Type.Object({ account: text('As it was requested.'), error })]),
        { description: 'In the order of the request; an account without a body has an error.' },
      ),
    }),
  },
  open:
    (service: PathService): Route =>
    async (request) => {
      requireFirstBook(service.readiness());
      const of = queuedClient(request);
      const keys = keysOf(request.query, service);
      const entries = entriesOf(keys, await readMissing(keys, service, of), service);
      const body = await service.budget.runSteps(entries, of);
      return { status: 200, headers, body };
    },
} as const satisfies Path;

function keysOf(query: string, { book }: PathService): readonly string[] {
  const asked = splitLists(query, accountsParams).map((texts) =>
    checkParams(accountsParams, texts),
  );
  const keys = asked.flatMap(({ accounts }) => accounts ?? []);
  const authority = asked[0]?.authority;
  if ((authority === undefined) === (keys.length === 0)) {
    const message = 'accounts or authority must be given, and not both';
    const code = authority === undefined ? 'MISSING_PARAM' : 'INVALID_PARAM';
    throw new ServerError(code, message, 'accounts');
  }
  if (keys.length > LIMITS.accountsMax) {
    const message = `accounts was a list of ${keys.length}, must have at most ${LIMITS.accountsMax}`;
    throw new ServerError('OUT_OF_RANGE', message, 'accounts');
  }
  if (authority === undefined) return keys;
  const owned = book.accounts.ofAuthority(authority).slice(0, LIMITS.accountsMax);
  if (owned.length > 0) return owned;
  const message = `the book holds no account of a wallet ${authority}`;
  throw new ServerError('UNKNOWN_ACCOUNT', message, 'authority');
}

/** An account that the book does not hold, or why it cannot be read; undefined where it does. */
type ReadData = ReadAccount | ServerError;

/** Reads the accounts that the book does not hold. */
async function readMissing(
  keys: readonly string[],
  service: PathService,
  { client }: QueuedClient,
): Promise<readonly ReadData[]> {
  const missing = keys.filter((key) => !service.book.accounts.holds(key));
  if (missing.length === 0) return [];
  try {
    const read = await accountReadsOf(service).read(missing, client);
    const refusal = nodeFailure('the account', null);
    const data = read.map((one) => (one === undefined ? refusal : one));
    const found = new Map(missing.map((key, index) => [key, data[index]]));
    return keys.map((key) => found.get(key));
  } catch (failure) {
    throw nodeFailure('the account', failure);
  }
}

function* entriesOf(
  keys: readonly string[],
  read: readonly ReadData[],
  service: PathService,
): Generator<undefined, string> {
  const entries: string[] = [];
  for (const [index, key] of keys.entries()) {
    const entry = batchEntry(() => renderAccount(key, read[index], service));
    const isError = entry instanceof ServerError;
    entries.push(isError ? `{"account":"${key}",${entry.toBody().slice(1)}` : entry);
    yield;
  }
  return `{"accounts":[${entries.join(',')}]}`;
}

function renderAccount(key: string, data: ReadData, { book }: PathService): string {
  if (data instanceof ServerError) throw data;
  let cause = 'it is of another program';
  try {
    const body = book.accounts.render(key, data ? Buffer.from(data, 'base64') : undefined);
    if (body !== null) return body;
  } catch (failure) {
    cause = (failure as Error).message;
  }
  const owned = book.accounts.ofAuthority(key);
  if (owned.length > 0) {
    const message = `account ${key} is a wallet, whose accounts are ${owned.join(', ')}`;
    throw new ServerError('UNKNOWN_ACCOUNT', message, 'account');
  }
  if (!data && data !== '') {
    throw new ServerError('UNKNOWN_ACCOUNT', `there is no account ${key}`, 'account');
  }
  throw new ServerError('INVALID_PARAM', `account ${key} is no user account: ${cause}`, 'account');
}
