/**
 * The compatible channels. A channel says which topic a message names, and a topic how its frame is
 * made; who reads it and when it is sent is decided elsewhere.
 */
import { LIMITS } from '../../config/limits.js';
import type { BookSource } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import { SocketError } from '../transport/errors.js';
import type { ClientMessage } from './client-message.js';

/** What all subscribers with the same key get. */
export interface BookTopicSpec {
  readonly key: string;
  readonly marketType: MarketInfo['marketType'];
  readonly marketIndex: number;
  /** Whether it shows more than orders. */
  readonly hasQuotes: boolean;
  /** Whether it shows indicative quotes. */
  readonly hasIndicative: boolean;
  /** The frame of now: a view that is valid until the book is asked again. */
  readonly render: (book: BookSource, market: number) => Uint8Array;
}

/** One channel. */
export interface Channel {
  /** What a client may ask for; throws a SocketError that says what is wrong. */
  readonly topicOf: (message: ClientMessage, book: BookSource) => BookTopicSpec;
}

/** The channels by name, in lower case. */
export const channels: ReadonlyMap<string, Channel> = new Map([
  ['orderbook', orderbookChannel({ indicative: false })],
  ['orderbook_indicative', orderbookChannel({ indicative: true })],
]);

const groupingRange = { min: LIMITS.groupingMin, max: LIMITS.groupingMax };
const depthRange = { min: LIMITS.depthMin, max: LIMITS.depthMax };

function orderbookChannel({ indicative }: { readonly indicative: boolean }): Channel {
  return {
    topicOf: (message, book) => {
      const { marketType, marketIndex } = marketOf(message, book);
      const grouping = message.readInteger('grouping', groupingRange);
      const depth = message.readInteger('depth', depthRange) ?? LIMITS.channelDepthDefault;
      const vamm = !message.isFalse('includeVamm');
      const shape = { depth, ...(grouping === undefined ? {} : { grouping }), vamm, indicative };
      return {
        key: `orderbook ${marketType} ${marketIndex} ${JSON.stringify(shape)}`,
        marketType,
        marketIndex,
        hasQuotes: vamm || indicative,
        hasIndicative: indicative,
        render: (source, market) => source.orderbookFrame({ market, ...shape }),
      };
    },
  };
}

/** The market of a name and a type; the lowest index where a name was given twice. */
export function marketOf(message: ClientMessage, book: BookSource): MarketInfo {
  const type = message.requireText('marketType').toLowerCase();
  if (type !== 'perp' && type !== 'spot') {
    const was = message.quoteMember('marketType');
    throw new SocketError('INVALID_PARAM', `marketType was "${was}", must be perp or spot`);
  }
  const name = message.requireText('market').toLowerCase();
  let found: MarketInfo | undefined;
  for (const row of book.markets()) {
    if (row.marketType !== type || row.symbol.toLowerCase() !== name) continue;
    if (found === undefined || row.marketIndex < found.marketIndex) found = row;
  }
  if (found !== undefined) return found;
  const text = `there is no ${type} market ${message.quoteMember('market')}`;
  throw new SocketError('UNKNOWN_MARKET', text);
}
