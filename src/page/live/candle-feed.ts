/** The candles of a chart: a first page, older pages on demand, and live updates. */
import {
  type Candle,
  CandleClient,
  RESOLUTION_SECONDS_MAX,
  type Resolution,
} from '@slotbook/client';
import { CANDLES_PAGE, CANDLES_SHOWN_MAX, LOAD_RETRY_MS } from '../model/limits.js';
import { FrameLoop } from './frame-loop.js';
import { measuredSocket, type SocketMeter } from './measured-socket.js';

/** The series of a chart. */
interface CandleChoice {
  readonly market: string;
  readonly resolution: Resolution;
}

/** Events of the candles. */
interface CandleFeedEvents {
  /**
   * Called with all candles, oldest first, when they were cleared by another choice, loaded,
   * extended or corrected.
   */
  onCandles(candles: readonly Candle[]): void;
  /** Called when the newest candle has changed, or a newer one has arrived. */
  onCandle(candle: Candle): void;
  /** Called with the error when loading candles failed and will be retried; undefined otherwise. */
  onProblem(error: unknown): void;
}

/** The client's key of the single series. */
const KEY = 'chart';

/** Returns the start of the newest candle that has ended at a time; unix seconds. */
export function lastEndedStart(resolution: Resolution, unixSeconds: number): number {
  const length = RESOLUTION_SECONDS_MAX[resolution];
  return Math.floor(unixSeconds / length) * length - length;
}

/** Follows one series while the page is visible. */
export class CandleFeed {
  readonly #client: CandleClient;
  readonly #events: CandleFeedEvents;
  #choice: CandleChoice | undefined;
  #candles: Candle[] = [];
  #work = new AbortController();
  #isComplete = false;
  #isLoading = false;
  #isLoaded = false;
  #retry: ReturnType<typeof setTimeout> | undefined;
  /**
   * Emits corrections once per animation frame, because they often arrive together, and each
   * replaces the whole series.
   */
  readonly #corrections = new FrameLoop(() => this.#events.onCandles(this.#candles));

  constructor(url: string, meter: SocketMeter, events: CandleFeedEvents) {
    this.#client = new CandleClient({ url, WebSocket: measuredSocket(meter, 'ignore') });
    this.#events = events;
  }

  /** Whether the first page of the series has arrived. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Oldest first. */
  get candles(): readonly Candle[] {
    return this.#candles;
  }

  /**
   * Shows a series; retries until it arrives or another series is shown. Candles that are already
   * loaded stay.
   */
  show(choice: CandleChoice): void {
    this.stop();
    const work = new AbortController();
    this.#work = work;
    const { market, resolution } = this.#choice ?? {};
    this.#choice = choice;
    this.#candles = [];
    this.#isComplete = false;
    const isOther = market !== choice.market || resolution !== choice.resolution;
    if (isOther) {
      this.#isLoaded = false;
      this.#events.onCandles([]);
    }
    this.#events.onProblem(undefined);
    void this.#load(choice, work.signal, LOAD_RETRY_MS.first);
  }

  /**
   * Loads the page before the oldest candle, if any. Never rejects; a failed page is read on the
   * next request.
   */
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
      if (page.length > 0) this.#setCandles([...page, ...this.#candles]);
      this.#events.onProblem(undefined);
    } catch (error) {
      if (!signal.aborted) this.#events.onProblem(error);
    } finally {
      this.#isLoading = false;
    }
  }

  /** Stops all work; `show` restarts it. */
  stop(): void {
    this.#work.abort();
    clearTimeout(this.#retry);
    this.#corrections.stop();
    this.#client.unsubscribe(KEY);
  }

  async #load(choice: CandleChoice, signal: AbortSignal, retryMs: number): Promise<void> {
    try {
      await this.#follow(choice, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#client.unsubscribe(KEY);
      this.#events.onProblem(error);
      const nextMs = Math.min(LOAD_RETRY_MS.max, retryMs * 2);
      this.#retry = setTimeout(() => void this.#load(choice, signal, nextMs), retryMs);
    }
  }

  async #follow(choice: CandleChoice, signal: AbortSignal): Promise<void> {
    const { market: marketId, resolution } = choice;
    this.#client.on(KEY, 'candle-update', (candle) => this.#handleCandle(candle));
    const [page] = await Promise.all([
      this.#fetchBefore(choice, Math.floor(Date.now() / 1_000), signal),
      this.#client.subscribe({ marketId, resolution }, KEY, { signal }),
    ]);
    if (signal.aborted) return;
    this.#isLoaded = true;
    const newer = this.#candles.filter(({ ts }) => ts > (page.at(-1)?.ts ?? 0));
    this.#setCandles([...page, ...newer]);
    this.#events.onProblem(undefined);
  }

  #setCandles(candles: Candle[]): void {
    this.#candles = candles;
    this.#events.onCandles(candles);
  }

  async #fetchBefore(
    { market: marketId, resolution }: CandleChoice,
    toTs: number,
    signal: AbortSignal,
  ): Promise<readonly Candle[]> {
    const fromTs = toTs - RESOLUTION_SECONDS_MAX[resolution] * CANDLES_PAGE;
    return this.#client.fetch({ marketId, resolution, fromTs, toTs }, { signal });
  }

  #handleCandle(candle: Candle): void {
    const last = this.#candles.at(-1);
    if (last !== undefined && candle.ts < last.ts) {
      this.#correctCandle(candle);
      return;
    }
    if (last?.ts === candle.ts) this.#candles[this.#candles.length - 1] = candle;
    else this.#candles.push(candle);
    this.#events.onCandle(candle);
  }

  /** Replaces a past candle that a late or reverted fill has changed. */
  #correctCandle(candle: Candle): void {
    const index = this.#candles.findLastIndex(({ ts }) => ts <= candle.ts);
    // Candles before the first loaded one come with their page.
    if (index < 0) return;
    const isThere = this.#candles[index]?.ts === candle.ts;
    this.#candles.splice(isThere ? index : index + 1, isThere ? 1 : 0, candle);
    this.#corrections.requestFrame();
  }
}
