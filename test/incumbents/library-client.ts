import { WebSocket } from 'ws';
import { ChannelClient } from '../../src/client/channels/client.js';
import { StreamClient } from '../../src/client/stream/client.js';
import type { ScriptedClient } from './scripted-clients.js';

/** The published library beside the scripted clients: a streaming book, and one of the compatible channels. */
export class LibraryClient implements ScriptedClient {
  readonly #stream: StreamClient;
  readonly #channels: ChannelClient;
  readonly #seen = new Set<string>();
  #error = '';

  constructor(url: string) {
    const market = 'SOL-PERP';
    this.#stream = new StreamClient({ url, WebSocket });
    const streamed = this.#stream.subscribe({ channel: 'book', market, depth: 20 });
    streamed.onUpdate(({ isFollowing }) => void (isFollowing && this.#seen.add('stream')));
    this.#channels = new ChannelClient({ url, WebSocket });
    const whole = this.#channels.books({ channel: 'orderbook', marketType: 'perp', market });
    whole.onBook(() => void this.#seen.add('channel'));
    for (const subscription of [streamed, whole]) {
      subscription.onError((error) => {
        this.#error = String(error);
      });
    }
  }

  missing(): string | undefined {
    if (this.#error !== '') return `a subscription, which ended: ${this.#error}`;
    const missing = ['stream', 'channel'].filter((name) => !this.#seen.has(name));
    return missing.length === 0 ? undefined : missing.join(', ');
  }

  forget(): void {
    this.#seen.clear();
  }

  async stop(): Promise<void> {
    this.#stream.close();
    this.#channels.close();
  }
}
