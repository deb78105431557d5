/** The candles of a chart: a first page, older pages on demand, and live updates. */
import { type Candle, CandleClient, type Resolution } from '@slotbook/client';
import { CANDLES_PAGE, CANDLES_SHOWN_MAX } from '../model/limits.js';
import { measuredSocket, type SocketMeter } from './measured-socket.js';

/** What a chart shows. */
export interface CandleChoice {
  readonly market: string;
  readonly resolution: Resolution;
}

/** What happens to the candles. */
export interface CandleFeedEvents {
  /** All candles are others, oldest first: another choice, or older ones are there. */
  onCandles(candles: readonly Candle[]): void;
  /** The newest candle has changed, or is a new one. */
  onCandle(candle: Candle): void;
}

/** The key under which the client follows the one series. */
const KEY = 'chart';

/** Longest length of a candle in seconds: it only decides how far back a page reaches. */
const SECONDS: Readonly<Record<Resolution, number>> = {
  ...{ '1': 60, '5': 300, '15': 900, '60': 3_600, '240': 14_400 },
  ...{ '1440': 86_400, D: 86_400, W: 604_800, M: 2_678_400 },
};

/** Follows one series while the page is visible. */
export class CandleFeed {
  readonly #client: CandleClient;
  readonly #events: CandleFeedEvents;
  #choice: CandleChoice | undefined;
  #candles: Candle[] = [];
  #work = new AbortController();
  #isComplete = false;
  #isLoading = false;

  constructor(url: string, meter: SocketMeter, events: CandleFeedEvents) {
    this.#client = new CandleClient({ url, WebSocket: measuredSocket(meter, 'ignore') });
    this.#events = events;
  }

  /** Shows a series in place of the one before. Throws the service's refusal. */
  async show(choice: CandleChoice): Promise<void> {
    this.stop();
    const work = new AbortController();
    this.#work = work;
    this.#choice = choice;
    this.#candles = [];
    this.#isComplete = false;
    const { market: marketId, resolution } = choice;
    this.#client.on(KEY, 'candle-update', (candle) => this.#handleCandle(candle));
    const [page] = await Promise.all([
      this.#fetchBefore(choice, Math.floor(Date.now() / 1_000), work.signal),
      this.#client.subscribe({ marketId, resolution }, KEY, { signal: work.signal }),
    ]);
    if (work.signal.aborted) return;
    const newer = this.#candles.filter(({ ts }) => ts > (page.at(-1)?.ts ?? 0));
    this.#candles = [...page, ...newer];
    this.#events.onCandles(this.#candles);
  }

  /** Reads the page before the oldest candle, unless there is none. */
  async loadOlder(): Promise<void> {
    const [oldest] = this.#candles;
    const choice = this.#choice;
    if (oldest === undefined || choice === undefined || this.#isComplete || this.#isLoading) return;
    this.#isLoading = true;
    const { signal } = this.#work;
    try {
      const page = await this.#fetchBefore(choice, oldest.ts - 1, signal);
      if (signal.aborted) return;
      this.#isComplete = page.length === 0 || this.#candles.length >= CANDLES_SHOWN_MAX;
      this.#candles = [...page, ...this.#candles];
      if (page.length > 0) this.#events.onCandles(this.#candles);
    } finally {
      this.#isLoading = false;
    }
  }

  /** Ends all work; `show` begins again. */
  stop(): void {
    this.#work.abort();
    this.#client.unsubscribe(KEY);
  }

  async #fetchBefore(
    { market: marketId, resolution }: CandleChoice,
    toTs: number,
    signal: AbortSignal,
  ): Promise<readonly Candle[]> {
    const fromTs = toTs - SECONDS[resolution] * CANDLES_PAGE;
    return this.#client.fetch({ marketId, resolution, fromTs, toTs }, { signal });
  }

  #handleCandle(candle: Candle): void {
    const last = this.#candles.at(-1);
    if (last !== undefined && candle.ts < last.ts) return;
    if (last?.ts === candle.ts) this.#candles[this.#candles.length - 1] = candle;
    else this.#candles.push(candle);
    this.#events.onCandle(candle);
  }
}
