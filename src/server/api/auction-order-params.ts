/** The parameters of /auctionParams, under the names that the dlob-server uses. */
import { type Static, Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import { selectMarket } from './market-params.js';
import { parseAmount, parseInRange, readQuery } from './param-check.js';
import {
  ANY_TEXT,
  amountSchema,
  lenientFlagSchema,
  market,
  type TextFormat,
  wholeSchema,
  wordSchema,
} from './param-parts.js';

const sizes = { min: 1n, max: LIMITS.matchSizeMax };
const quotes = { min: 1n, max: LIMITS.matchAmountMax };

/** The prices from which an auction may start or end. */
export const PRICE_NAMES = ['best', 'worst', 'oracle', 'mark', 'entry', 'bestOffer'] as const;

const percent = (description: string) =>
  Type.Optional(Type.String({ format: 'percent' satisfies TextFormat, description }));

const priceName = (description: string) =>
  Type.Optional(wordSchema([...PRICE_NAMES, 'marketBased'], { description }));

/** The parameters of /auctionParams. */
export const auctionOrderParams = Type.Object({
  ...market,
  direction: wordSchema(['long', 'short'], { description: 'What the taker does.' }),
  amount: Type.Required(Type.Object({ amount: amountSchema(sizes, 'Raw: base 1e9, quote 1e6.') }))
    .properties.amount,
  assetType: wordSchema(['base', 'quote'], { description: 'What amount counts.' }),
  reduceOnly: lenientFlagSchema('The order only reduces a position.'),
  allowInfSlippage: lenientFlagSchema('The limit price is 15 % from where the auction begins.'),
  forceUpToSlippage: lenientFlagSchema('The auction ends at the limit price.'),
  isOracleOrder: Type.Boolean({
    [ANY_TEXT]: true,
    default: true,
    description: 'Whether the auction follows the oracle.',
  }),
  slippageTolerance: percent('In percent; dynamic, as without it, is made of the book.'),
  auctionDuration: wholeSchema({ min: 0, max: LIMITS.auctionDurationMax, byDefault: 20 }, 'Slots.'),
  auctionStartPriceOffset: percent('In percent; marketBased, as without it, by the market.'),
  auctionEndPriceOffset: percent('In percent, 0.1 without it.'),
  auctionStartPriceOffsetFrom: priceName('Where the auction begins; by the market without it.'),
  auctionEndPriceOffsetFrom: priceName('Where it ends, worst without it.'),
  additionalEndPriceBuffer: wholeSchema(
    { min: 0, max: 1_000_000, byDefault: 0 },
    'Quote that the end is worse by.',
  ),
  maxLeverageSelected: lenientFlagSchema('The size is maxLeverageOrderSize where that is given.'),
  maxLeverageOrderSize: amountSchema(sizes, 'Base at 1e9.'),
  userOrderId: wholeSchema(
    { min: 0, max: 255, byDefault: 0 },
    'The number that the user gives the order; 0 for none.',
  ),
  version: wholeSchema({ min: 1, max: 2, byDefault: 1 }, '2 widens slippage.'),
});

type Checked = Static<typeof auctionOrderParams>;

/** The request's parameters. */
export interface AuctionOrderRequest extends Omit<Checked, 'amount' | 'maxLeverageOrderSize'> {
  readonly market: MarketInfo;
  readonly amount: bigint;
  /**
   * The size of an order at maximum leverage; undefined when the request does not ask for maximum
   * leverage.
   */
  readonly orderSize: bigint | undefined;
}

/** Reads the parameters of /auctionParams. Throws a ServerError that names the wrong parameter. */
export function parseAuctionOrder(raw: string, markets: MarketDirectory): AuctionOrderRequest {
  const { amount, maxLeverageOrderSize: size, ...params } = readQuery(auctionOrderParams, raw);
  const hasSize = params.maxLeverageSelected && size !== undefined;
  return {
    ...params,
    market: selectMarket(params, markets),
    amount: parseInRange('amount', amount, params.assetType === 'base' ? sizes : quotes),
    orderSize: hasSize ? parseAmount(auctionOrderParams, 'maxLeverageOrderSize', size) : undefined,
  };
}
