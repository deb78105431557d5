/**
 * What the server asks of the history for live candles and trades. The history fits this by shape; the
 * texts are finished there, and nobody opens them here.
 */
import type { HistoryFigures } from './market-data-source.js';

/**
 * A text of a topic. A join is answered by one frame: `shown`, for who asked; `opened` when the topic
 * had no readers at the source; or `refused` with the reason as its text. A topic that was not left is
 * `opened` again whenever its readers may have missed something. What follows, for all readers, is
 * `told`. An empty text has nothing to show.
 */
export interface MarketFrame {
  readonly topic: string;
  readonly kind: 'opened' | 'shown' | 'refused' | 'told';
  readonly text: string;
}

/** The history as the WebSockets follow it. */
export interface MarketStreamSource {
  /** Begins a topic or shows it once more: `candle:perp_0:1`, `trades:perp_0`, `channel:perp_0`. */
  join(topic: string): void;
  leave(topic: string): void;
  /** Frames come in order. There is one who takes them. */
  onFrames(take: (frames: readonly MarketFrame[]) => void): void;
  figures(): HistoryFigures;
}
