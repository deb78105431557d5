import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The server's reaction to a request. */
export type AggregatorReply =
  /** The body of a good answer, with these fields instead of its own; undefined takes one out. */
  | { readonly fields: Readonly<Record<string, unknown>> }
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  | { readonly body: string }
  /** The correct reply after a delay. */
  | { readonly delayMs: number }
  /** The good answer, one byte in so many milliseconds. */
  | { readonly dripMs: number }
  /** Half of the good answer, and then the connection is gone. */
  | 'cut'
  /** A body that never ends. */
  | 'flood'
  | 'hang'
  | 'destroy'
  | 'good';

/** A request as it came in. */
export interface SeenQuote {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
  readonly atMs: number;
}

/**
 * A quote API on loopback: a pool of two tokens on a curve x * y = k, with a fee of 0.1 %. Swaps do
 * not change the pool.
 */
export class ScriptedAggregator {
  readonly seen: SeenQuote[] = [];
  /** Decides each answer. */
  answer: (seen: SeenQuote) => AggregatorReply = () => 'good';
  /** Maximum number of concurrent requests. */
  atOnceMax = 0;
  #atOnce = 0;
  readonly #server = createServer((request, response) => this.#take(request, response));

  private constructor(
    private readonly base: { readonly mint: string; readonly reserve: bigint },
    private readonly quote: { readonly mint: string; readonly reserve: bigint },
  ) {}

  /** Reserves are in the tokens' own decimals. */
  static async start(
    base: { readonly mint: string; readonly reserve: bigint },
    quote: { readonly mint: string; readonly reserve: bigint },
  ): Promise<ScriptedAggregator> {
    const aggregator = new ScriptedAggregator(base, quote);
    await new Promise<void>((resolve) => {
      aggregator.#server.listen(0, '127.0.0.1', resolve);
    });
    return aggregator;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The amount of the other token for an amount of one. */
  outOf(inputMint: string, amount: bigint): bigint {
    const [from, to] =
      inputMint === this.base.mint ? [this.base, this.quote] : [this.quote, this.base];
    const paid = (amount * 999n) / 1_000n;
    return (to.reserve * paid) / (from.reserve + paid);
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://aggregator');
    const { authorization } = request.headers;
    const seen = { path: url.pathname, query: url.searchParams, authorization, atMs: Date.now() };
    this.seen.push(seen);
    this.#atOnce += 1;
    this.atOnceMax = Math.max(this.atOnceMax, this.#atOnce);
    response.on('close', () => {
      this.#atOnce -= 1;
    });
    this.#reply(seen, response);
  }

  #reply(seen: SeenQuote, response: ServerResponse): void {
    const reply = this.answer(seen);
    if (reply === 'hang') return;
    if (reply === 'destroy') response.destroy();
    else if (reply === 'cut') this.#cut(this.#body(seen), response);
    else if (reply === 'flood') flood(response);
    else if (reply === 'good') response.end(this.#body(seen));
    else if ('delayMs' in reply) setTimeout(() => response.end(this.#body(seen)), reply.delayMs);
    else if ('dripMs' in reply) drip(this.#body(seen), reply.dripMs, response);
    else if ('fields' in reply) response.end(this.#body(seen, reply.fields));
    else if ('status' in reply) response.writeHead(reply.status, reply.headers).end(reply.body);
    else response.end(reply.body);
  }

  #cut(body: string, response: ServerResponse): void {
    response.setHeader('content-length', body.length);
    response.write(body.slice(0, body.length / 2));
    setImmediate(() => response.destroy());
  }

  /** The fields of the public API, including unused ones. */
  #body({ query }: SeenQuote, fields: Readonly<Record<string, unknown>> = {}): string {
    const [inputMint, inAmount] = [query.get('inputMint') ?? '', query.get('amount') ?? '0'];
    const outAmount = this.outOf(inputMint, BigInt(inAmount)).toString();
    return JSON.stringify({
      inputMint,
      inAmount,
      outputMint: query.get('outputMint'),
      outAmount,
      otherAmountThreshold: outAmount,
      swapMode: 'ExactIn',
      slippageBps: Number(query.get('slippageBps')),
      platformFee: null,
      priceImpactPct: '0.001',
      routePlan: [{ swapInfo: { label: 'Pool', inputMint, inAmount, outAmount }, percent: 100 }],
      contextSlot: 350_000_000,
      timeTaken: 0.003,
      ...fields,
    });
  }
}

function drip(body: string, ms: number, response: ServerResponse): void {
  let at = 0;
  const timer = setInterval(() => {
    if (response.destroyed || at >= body.length) clearInterval(timer);
    else response.write(body.slice(at, at + 1));
    at += 1;
  }, ms);
  response.on('close', () => clearInterval(timer));
}

function flood(response: ServerResponse): void {
  const block = '[1,2,3,4,5,6,7],'.repeat(4_096);
  const write = (): void => {
    while (!response.destroyed && response.write(block));
    if (!response.destroyed) response.once('drain', write);
  };
  write();
}
