/** A wire between a client and a service, which a test can cut. */

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Passes bytes on in both directions. */
export class CutProxy {
  readonly #sockets = new Set<Socket>();
  #isDeaf = false;

  private constructor(
    private readonly server: Server,
    private target: URL,
  ) {
    server.on('connection', (near) => {
      const far = connect(Number(this.target.port), this.target.hostname);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.on('data', (bytes) => {
          if (!this.#isDeaf) to.write(bytes);
        });
        from.on('error', () => {});
        from.on('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
      }
    });
  }

  static async start(url: string): Promise<CutProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new CutProxy(server, new URL(url));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** New connections go to another service. */
  turnTo(url: string): void {
    this.target = new URL(url);
  }

  /** Ends every connection without a word. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Drops all data from now on and keeps connections open, like a dead wire. */
  goDeaf(): void {
    this.#isDeaf = true;
  }

  /** Bytes pass again. */
  hear(): void {
    this.#isDeaf = false;
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
