/**
 * Forwards quotes from a maker's socket to a book on another machine and returns the result;
 * requests and replies are texts.
 */
import { LIMITS } from '../../config/limits.js';
import { isPublicKey } from '../../config/public-key.js';
import { isSocketCode } from '../../contract/error-codes.js';
import type { IndicativeQuote, QuotedSide, QuoteSink } from '../../contract/indicative.js';
import type { MarketInfo } from '../../contract/markets.js';
import { ClientMessage } from '../sockets/client-message.js';
import { SocketError } from '../transport/errors.js';
import { type QuoteTakerParts, takeQuotes } from './take-quotes.js';

/**
 * Sends a request to the service that holds the book; resolves with its reply. Rejects with a
 * SocketError when no service accepts the request.
 */
type SendQuotes = (text: string) => Promise<string>;

/**
 * Returns a sink that forwards quotes to the book on another machine; `markets` are the markets
 * that this machine knows.
 */
export function forwardingSink(
  markets: () => readonly Pick<MarketInfo, 'id' | 'marketType' | 'marketIndex'>[],
  sendQuotes: SendQuotes,
): QuoteSink {
  return {
    setQuotes: async ({ market, maker, quotes }) => {
      const known = markets().find(({ id }) => id === market);
      if (known === undefined) return 'unknownMarket';
      const { marketType: market_type, marketIndex: market_index } = known;
      const request = {
        pubkey: maker,
        market_type,
        market_index,
        quotes: quotes.map(quoteMembers),
      };
      return outcomeOf(await sendQuotes(JSON.stringify(request)));
    },
  };
}

/** Applies forwarded quotes. Returns the reply, also for an invalid text. */
export async function takeForwarded(text: string, parts: QuoteTakerParts): Promise<string> {
  try {
    return JSON.stringify({ outcome: await takeQuotes(signedQuotes(text), parts) });
  } catch (error) {
    if (!(error instanceof SocketError)) throw error;
    return JSON.stringify({ code: error.code, message: error.message });
  }
}

function signedQuotes(text: string): { message: ClientMessage; maker: string } {
  const max = LIMITS.quoteMessageBytesMax;
  const message = text.length <= max ? ClientMessage.parse(text) : undefined;
  if (message === undefined) {
    const rule = `forwarded quotes must be a JSON object of at most ${max} characters`;
    throw new SocketError('MALFORMED_MESSAGE', rule);
  }
  const maker = message.requireText('pubkey');
  if (!isPublicKey(maker)) throw new SocketError('UNAUTHORIZED', 'pubkey is not a key');
  return { message, maker };
}

/** Encodes the members of a maker's message. */
function quoteMembers({ bid, ask, isOracleOffset }: IndicativeQuote): object {
  const side = (name: string, of: QuotedSide | null): object =>
    of === null ? {} : { [`${name}_price`]: String(of.price), [`${name}_size`]: String(of.size) };
  return { ...side('bid', bid), ...side('ask', ask), is_oracle_offset: isOracleOffset };
}

function outcomeOf(reply: string): 'changed' | 'unchanged' {
  const message = ClientMessage.parse(reply);
  const outcome = message?.getValue('outcome');
  if (outcome === 'changed' || outcome === 'unchanged') return outcome;
  const code = message?.getValue('code');
  // Anyone with access to NATS could have written the reply's message, so the maker gets our own
  // text.
  if (typeof code === 'string' && isSocketCode(code))
    throw new SocketError(code, 'the core does not take the quotes');
  throw new SocketError('INTERNAL', 'the core has sent a reply that this edge does not know');
}
