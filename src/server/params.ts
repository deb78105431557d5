/**
 * The parameters of the book paths, from a raw query string to a request that the book understands.
 *
 * This file does not know where the answer comes from; it asks the book only which markets exist.
 */
import { PublicKey } from '@solana/web3.js';
import { LIMITS } from '../limits.js';
import type { BookSource, L2Request, L3Request, MarketRow } from './book-source.js';
import { quoted, ServerError } from './errors.js';
import { Query } from './query.js';

type Markets = Pick<BookSource, 'markets' | 'findMarket'>;

const marketParams = ['marketName', 'marketIndex', 'marketType'];
const sourceParams = ['includeVamm', 'includeIndicative', 'uncross'];

/** The names that /l2 knows. */
export const l2Params = new Set([...marketParams, ...sourceParams, 'depth', 'grouping']);

/** The names that /l3 knows. */
export const l3Params = new Set([...marketParams, ...sourceParams, 'depth', 'maker']);

/** Reads the parameters of /l2. Throws a ServerError that names the wrong one. */
export function parseL2(raw: string, markets: Markets): L2Request {
  const query = Query.parse(raw, l2Params);
  const select = marketSelector(query);
  const depth = query.integer('depth', depthRange) ?? LIMITS.l2DepthDefault;
  const grouping = query.integer('grouping', groupingRange);
  return { market: select(markets).id, depth, ...(grouping === undefined ? {} : { grouping }) };
}

/** Reads the parameters of /l3. Throws a ServerError that names the wrong one. */
export function parseL3(raw: string, markets: Markets): L3Request {
  const query = Query.parse(raw, l3Params);
  const select = marketSelector(query);
  const depth = query.integer('depth', depthRange);
  const maker = makerKey(query);
  return {
    market: select(markets).id,
    ...(depth === undefined ? {} : { depth }),
    ...(maker === undefined ? {} : { maker }),
  };
}

const depthRange = { min: LIMITS.depthMin, max: LIMITS.depthMax };
const groupingRange = { min: LIMITS.groupingMin, max: LIMITS.groupingMax };
const marketIndexRange = { min: 0, max: LIMITS.marketIndexMax };

/**
 * Checks how the market is named and returns the look-up, so that a malformed parameter is reported
 * before an unknown market. A name wins over index and type, which are checked all the same.
 */
function marketSelector(query: Query): (markets: Markets) => MarketRow {
  const name = marketName(query);
  const index = query.integer('marketIndex', marketIndexRange);
  const type = marketType(query);
  if (name !== undefined) {
    return (markets) => markets.findMarket(name) ?? unknownMarket(name, 'marketName');
  }
  if (index === undefined && type === undefined) {
    throw missing('marketName', 'marketName, or marketIndex and marketType, must be given');
  }
  if (index === undefined) throw missing('marketIndex', 'marketType needs a marketIndex');
  if (type === undefined) throw missing('marketType', 'marketIndex needs a marketType');
  return (markets) => {
    const rows = markets.markets();
    const found = rows.find((row) => row.marketIndex === index && row.marketType === type);
    return found ?? unknownMarket(`${type} ${index}`, 'marketIndex');
  };
}

function marketName(query: Query): string | undefined {
  const name = query.text('marketName');
  if (name === undefined) return undefined;
  const max = LIMITS.marketNameBytesMax;
  if (name !== '' && Buffer.byteLength(name) <= max) return name;
  const message = `marketName was "${quoted(name)}", must have 1 to ${max} bytes`;
  throw new ServerError('INVALID_PARAM', message, 'marketName');
}

function marketType(query: Query): 'perp' | 'spot' | undefined {
  const text = query.text('marketType');
  if (text === undefined) return undefined;
  const lower = text.toLowerCase();
  if (lower === 'perp' || lower === 'spot') return lower;
  const message = `marketType was "${quoted(text)}", must be perp or spot`;
  throw new ServerError('INVALID_PARAM', message, 'marketType');
}

function makerKey(query: Query): string | undefined {
  const text = query.text('maker');
  if (text === undefined) return undefined;
  // Decoding takes time by the square of the length, so the length comes first.
  if (text.length < LIMITS.keyCharsMin || text.length > LIMITS.keyCharsMax) throw badMaker(text);
  try {
    return new PublicKey(text).toBase58();
  } catch {
    throw badMaker(text);
  }
}

function badMaker(text: string): ServerError {
  const message = `maker was "${quoted(text)}", must be a base58 key of 32 bytes`;
  return new ServerError('INVALID_PARAM', message, 'maker');
}

function missing(param: string, message: string): ServerError {
  return new ServerError('MISSING_PARAM', message, param);
}

function unknownMarket(name: string, param: string): never {
  throw new ServerError('UNKNOWN_MARKET', `there is no market ${quoted(name)}`, param);
}
