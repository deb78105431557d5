import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An aggregator of swaps on loopback that gives one price for everything, whatever the size: quote at
 * 1e6 for a base of nine decimals.
 */
export class FakeAggregator {
  /** Quote at 1e6 for a base. */
  price = 1_000_000n;
  /** The token that the first request pays with: a service asks for purchases first. */
  #quoteMint: string | undefined;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeAggregator> {
    const server = createServer();
    const aggregator = new FakeAggregator(server);
    server.on('request', (request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://localhost');
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(aggregator.#quote(searchParams)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return aggregator;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #quote(query: URLSearchParams): Record<string, unknown> {
    const [inputMint = '', outputMint = ''] = ['inputMint', 'outputMint'].map((name) =>
      String(query.get(name)),
    );
    this.#quoteMint ??= inputMint;
    const amount = BigInt(query.get('amount') ?? '0');
    const base = 1_000_000_000n;
    const buys = inputMint === this.#quoteMint;
    const outAmount = buys ? (amount * base) / this.price : (amount * this.price) / base;
    return { inputMint, outputMint, inAmount: String(amount), outAmount: String(outAmount) };
  }
}
