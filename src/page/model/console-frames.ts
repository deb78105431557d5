/** The console's messages and frames. */
import { CONSOLE_FRAMES_MAX, CONSOLE_TEXT_MAX } from './limits.js';

/** The channels of the form. */
export const CHANNELS = ['book', 'bbo', 'l3', 'orderbook', 'candles', 'trades'] as const;

/** A channel of the form. */
export type ConsoleChannel = (typeof CHANNELS)[number];

/** The input of the form. */
interface ConsoleForm {
  readonly channel: ConsoleChannel;
  readonly market: string;
  readonly marketType: 'perp' | 'spot';
  readonly includeVamm: boolean;
  readonly timing: boolean;
}

/** Returns the subscribe message of the form, as docs/streaming.md and docs/websocket.md define it. */
export function subscribeMessage(form: ConsoleForm): object {
  const { channel, market, marketType, includeVamm, timing } = form;
  if (channel === 'orderbook') return { type: 'subscribe', channel, marketType, market };
  if (channel === 'candles') return { type: 'subscribe', symbol: market, resolution: '1' };
  if (channel === 'trades') return { type: 'subscribe', symbol: market, channelType: 'trades' };
  const depth = channel === 'bbo' ? {} : { depth: 10 };
  const vamm = includeVamm && channel !== 'l3' ? { includeVamm } : {};
  return {
    type: 'subscribe',
    id: 1,
    channel,
    market,
    ...depth,
    ...vamm,
    ...(timing ? { timing } : {}),
  };
}

/** A frame in the list. */
export interface ListedFrame {
  readonly number: number;
  readonly direction: 'sent' | 'received';
  /** Unix milliseconds of the page. */
  readonly atMs: number;
  readonly bytes: number;
  /** The text, truncated if very long. */
  readonly text: string;
}

/** The newest frames, newest first, and their total count. */
export class FrameList {
  #frames: readonly ListedFrame[] = [];
  #count = 0;

  get frames(): readonly ListedFrame[] {
    return this.#frames;
  }

  get count(): number {
    return this.#count;
  }

  addFrame(direction: ListedFrame['direction'], text: string, atMs: number): void {
    this.#count += 1;
    const shown = text.length > CONSOLE_TEXT_MAX ? `${text.slice(0, CONSOLE_TEXT_MAX)} …` : text;
    const frame = { number: this.#count, direction, atMs, bytes: text.length, text: shown };
    this.#frames = [frame, ...this.#frames].slice(0, CONSOLE_FRAMES_MAX);
  }
}
