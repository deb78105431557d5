import type {
  HistoryStats,
  MarketFrame,
  MarketStreamSource,
} from '../../src/contract/history-source.js';
import { liveFigures } from '../../src/server/testing/fake-history.js';

/** A scripted history. */
export class FakeMarketStreams implements MarketStreamSource {
  /** The requests since the start: `+topic` for a join, `-topic` for a leave. */
  readonly asked: string[] = [];
  state: HistoryStats['state'] = 'live';
  #take: (frames: readonly MarketFrame[]) => void = () => {};

  join(topic: string): void {
    this.asked.push(`+${topic}`);
  }

  leave(topic: string): void {
    this.asked.push(`-${topic}`);
  }

  onFrames(take: (frames: readonly MarketFrame[]) => void): void {
    this.#take = take;
  }

  readStats(): HistoryStats {
    return { ...liveFigures, state: this.state };
  }

  /** Sends frames of one topic, of the kinds that are named, with JSON texts. */
  send(topic: string, ...frames: (readonly [MarketFrame['kind'], object | string])[]): void {
    this.#take(
      frames.map(([kind, body]): MarketFrame => {
        const message = typeof body === 'string' ? body : JSON.stringify(body);
        return kind === 'refused' ? { topic, kind, reason: message } : { topic, kind, message };
      }),
    );
  }
}
