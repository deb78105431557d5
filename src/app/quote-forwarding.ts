/** Forwards the quotes of makers at edges to the active core. */
import type { Readiness } from '../contract/feed-status.js';
import type { QuoteSink } from '../contract/indicative.js';
import type { Engine } from '../engine/engine.js';
import type { NoReply, QuoteLink, ReplyTo } from '../journal/nats/quote-link.js';
import { forwardingSink, takeForwarded } from '../server/quotes/forwarded-quotes.js';
import { marketIdOf } from '../server/quotes/quote-server.js';
import { SocketError } from '../server/transport/errors.js';
import type { ServiceFeed } from './chain-feed.js';

/** The errors that a maker gets when its quotes have not reached the book. */
const ERRORS: Readonly<Record<NoReply, () => SocketError>> = {
  noCore: () => new SocketError('NOT_READY', 'no core takes quotes now: send them again'),
  late: () => new SocketError('NOT_READY', 'the core is late to reply: send the quotes again'),
  tooMany: () => new SocketError('LIMIT_EXCEEDED', 'too many quotes wait for the core'),
};

/** The sink of an edge. */
export function quotesToCore(link: QuoteLink, engine: Pick<Engine, 'markets'>): QuoteSink {
  return forwardingSink(
    () => engine.markets(),
    async (request) => {
      const reply = await link.sendRequest(request);
      if ('text' in reply) return reply.text;
      throw ERRORS[reply.failed]();
    },
  );
}

/** The book that takes quotes of edges. */
interface QuotedBook {
  readonly engine: Pick<Engine, 'markets'>;
  readonly live: Pick<ServiceFeed, 'quotes'>;
  readonly readiness: () => Readiness;
  /** Returns whether this core takes itself for the active one. */
  readonly isWriter: () => boolean;
}

/** Returns the function that replies to edges while this core is active. */
export function replyToQuotes({ engine, live, readiness, isWriter }: QuotedBook): ReplyTo {
  const { quotes: sink } = live;
  if (sink === undefined) throw new Error('Invariant: a core takes quotes');
  const marketOf = (type: 'perp' | 'spot', index: number): number | undefined =>
    marketIdOf(engine, type, index);
  return async (request) =>
    isWriter() ? takeForwarded(request, { sink, marketOf, readiness }) : null;
}
