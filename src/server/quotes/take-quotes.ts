/** Applies a message of quotes to the book, or returns an error to its maker. */
import { LIMITS } from '../../config/limits.js';
import type { Readiness } from '../../contract/feed-status.js';
import type { IndicativeOutcome, QuoteSink } from '../../contract/indicative.js';
import type { ClientMessage } from '../sockets/client-message.js';
import { SocketError } from '../transport/errors.js';
import { readQuotes } from './quote-message.js';

/** Dependencies of applying quotes. */
export interface QuoteTakerParts {
  readonly sink: QuoteSink;
  /** The id of a served market. */
  readonly marketOf: (marketType: 'perp' | 'spot', marketIndex: number) => number | undefined;
  readonly readiness: () => Readiness;
}

/** A message of quotes and the key of its maker, base58. */
interface SignedQuotes {
  readonly message: ClientMessage;
  readonly maker: string;
}

/** The result of accepted quotes. */
type TakenOutcome = 'changed' | 'unchanged';

/**
 * Applies the quotes of a message. Rejects with a SocketError for an invalid message, or when the
 * book refuses the quotes; the previous quotes then stay in the book.
 */
export async function takeQuotes(
  { message, maker }: SignedQuotes,
  { sink, marketOf, readiness }: QuoteTakerParts,
): Promise<TakenOutcome> {
  if (!readiness().everLive) throw new SocketError('NOT_READY', 'no book has been live yet');
  const { marketType, marketIndex, quotes } = readQuotes(message);
  const market = marketOf(marketType, marketIndex);
  if (market === undefined) throw unknownMarket(`${marketType} ${marketIndex}`);
  const outcome = await sink.setQuotes({ market, maker, quotes });
  if (outcome !== 'changed' && outcome !== 'unchanged') throw refusalOf(outcome);
  return outcome;
}

function unknownMarket(name: string): SocketError {
  return new SocketError('UNKNOWN_MARKET', `market ${name} is not served`);
}

function refusalOf(outcome: Exclude<IndicativeOutcome, TakenOutcome>): SocketError {
  switch (outcome) {
    case 'unknownMarket':
      return new SocketError('UNKNOWN_MARKET', 'the market is not known');
    case 'makersExceeded':
      return new SocketError('LIMIT_EXCEEDED', 'no room for the quotes of one more maker');
    case 'quotesExceeded':
      return new SocketError('OUT_OF_RANGE', `quotes must be at most ${LIMITS.quotesMax}`);
    case 'priceOutOfRange':
    case 'sizeOutOfRange':
      return new SocketError(
        'OUT_OF_RANGE',
        'a price or a size is beyond what the market can hold',
      );
    case 'invalidMaker':
      return new SocketError('UNAUTHORIZED', 'pubkey is not a key');
  }
}
