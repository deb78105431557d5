import { VenueError } from './error.js';
import { levelsOf, type Rung } from './ladder.js';
import { TOKEN_AMOUNT_MAX, VENUE_RUNGS_MAX } from './limits.js';
import { type Quote, QuoteClient, type QuoteClientOptions } from './quote-client.js';
import type { Token, Venue, VenueMarket, VenueSnapshot } from './venue.js';

/** A {@link QuoteClient}'s options, and the sizes. */
export interface AggregatorOptions extends Omit<QuoteClientOptions, 'random'> {
  readonly random?: () => number;
  /**
   * Sizes in whole quote units, ascending, at most 8; the largest limits the depth of the levels.
   */
  readonly sizes: readonly number[];
}

/**
 * A swap aggregator as a venue. It requests how much base each quote size buys, then how much quote
 * that base sells for: two rounds of requests, so both sides have equal sizes.
 */
export class Aggregator implements Venue {
  readonly name = 'aggregator';
  readonly #client: QuoteClient;
  readonly #sizes: readonly bigint[];

  constructor({ sizes, random = Math.random, ...where }: AggregatorOptions) {
    this.#client = new QuoteClient({ ...where, random });
    this.#sizes = sizes.slice(0, VENUE_RUNGS_MAX).map(BigInt);
  }

  get host(): string {
    return this.#client.host;
  }

  get requestCount(): number {
    return this.#client.requestCount;
  }

  async fetchLevels(market: VenueMarket, signal: AbortSignal): Promise<VenueSnapshot> {
    const { base, quote } = market;
    const amounts = this.#sizes.map((size) => amountOf(size, quote));
    const bought = await this.#fetchQuotes({ from: quote, to: base, amounts }, signal);
    const bases = bought.map(({ outAmount }) => outAmount);
    const sold = await this.#fetchQuotes({ from: base, to: quote, amounts: bases }, signal);
    const rungs = amounts.map((quoteIn, index): Rung => {
      const there = bought[index];
      const back = sold[index];
      return { quoteIn, base: there?.outAmount ?? 0n, quoteOut: back?.outAmount ?? 0n };
    });
    const askedMs = Math.min(...bought.map((one) => one.askedMs));
    return { ...levelsOf(rungs, market), askedMs };
  }

  /**
   * Requests quotes in parallel, within the client's rate limit; the first failure aborts the other
   * requests.
   */
  async #fetchQuotes(
    swap: { readonly from: Token; readonly to: Token; readonly amounts: readonly bigint[] },
    signal: AbortSignal,
  ): Promise<readonly Quote[]> {
    const { from, to, amounts } = swap;
    const failed = new AbortController();
    const either = AbortSignal.any([signal, failed.signal]);
    const quotes = amounts.map((amount) =>
      this.#client.fetchQuote({ inputMint: from.mint, outputMint: to.mint, amount }, either),
    );
    try {
      return await Promise.all(quotes);
    } finally {
      failed.abort();
      await Promise.allSettled(quotes);
    }
  }
}

function amountOf(size: bigint, { decimals }: Token): bigint {
  const amount = size * 10n ** BigInt(decimals);
  if (amount <= TOKEN_AMOUNT_MAX) return amount;
  const message = `size ${size} of a token of ${decimals} decimals was ${amount}`;
  throw new VenueError(
    'VENUE_PRICE_OUT_OF_RANGE',
    `${message}, must be at most ${TOKEN_AMOUNT_MAX}`,
  );
}
