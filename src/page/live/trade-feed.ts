/** The newest trades of a market, followed while the page is visible. */
import { type LiveTrade, type TradeSubscription, TradesClient } from '@slotbook/client';
import { TRADES_KEPT_MAX } from '../model/limits.js';
import { measuredSocket, type SocketMeter } from './measured-socket.js';

/** Follows the trades of one market. */
export class TradeFeed {
  readonly #client: TradesClient;
  readonly #onChange: () => void;
  #subscription: TradeSubscription<LiveTrade> | undefined;
  #trades: readonly LiveTrade[] = [];
  #market: string | undefined;
  #isLoaded = false;
  #error: unknown;

  constructor(url: string, meter: SocketMeter, onChange: () => void) {
    this.#client = new TradesClient({ url, WebSocket: measuredSocket(meter, 'ignore') });
    this.#onChange = onChange;
  }

  /** Newest first. */
  get trades(): readonly LiveTrade[] {
    return this.#trades;
  }

  /** Whether the trades of the market have arrived. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** The error of the last attempt; undefined after a success. */
  get error(): unknown {
    return this.#error;
  }

  /**
   * Shows the trades of a market; displayed trades of the same market stay until new ones arrive.
   */
  show(market: string): void {
    this.stop();
    this.#trades = [];
    if (market !== this.#market) {
      this.#isLoaded = false;
      this.#error = undefined;
      this.#onChange();
    }
    this.#market = market;
    const subscription = this.#client.subscribe(market);
    this.#subscription = subscription;
    subscription.onError((error) => this.#noteError(error));
    subscription.onRetry((error) => this.#noteError(error));
    subscription.onTrades(({ trades, takenBack }) => {
      const reverted = new Set(takenBack.map(nameOf));
      const kept = this.#trades.filter((trade) => !reverted.has(nameOf(trade)));
      this.#trades = [...[...trades].reverse(), ...kept].slice(0, TRADES_KEPT_MAX);
      this.#isLoaded = true;
      this.#error = undefined;
      this.#onChange();
    });
  }

  #noteError(error: unknown): void {
    this.#error = error;
    this.#onChange();
  }

  /** Ends the subscription and keeps the trades. */
  stop(): void {
    this.#subscription?.close();
    this.#subscription = undefined;
  }
}

function nameOf({ txSig, txSigIndex }: LiveTrade): string {
  return `${txSig} ${txSigIndex}`;
}
