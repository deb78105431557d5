import { WebSocket } from 'ws';
import { StreamClient } from '../../src/client/stream/client.js';
import type { ScriptedClient } from './scripted-clients.js';

/** The published library beside the scripted clients: a streaming book. */
export class LibraryClient implements ScriptedClient {
  readonly #stream: StreamClient;
  #hasSeen = false;
  #error = '';

  constructor(url: string) {
    const market = 'SOL-PERP';
    this.#stream = new StreamClient({ url, WebSocket });
    const streamed = this.#stream.subscribe({ channel: 'book', market, depth: 20 });
    streamed.onUpdate(({ isFollowing }) => {
      this.#hasSeen ||= isFollowing;
    });
    streamed.onError((error) => {
      this.#error = String(error);
    });
  }

  missing(): string | undefined {
    if (this.#error !== '') return `a subscription, which ended: ${this.#error}`;
    return this.#hasSeen ? undefined : 'stream';
  }

  forget(): void {
    this.#hasSeen = false;
  }

  async stop(): Promise<void> {
    this.#stream.close();
  }
}
