/** The newest trades of a market, followed while the page is visible. */
import { type LiveTrade, type TradeSubscription, TradesClient } from '@slotbook/client';
import { TRADES_SHOWN_MAX } from '../model/limits.js';
import { measuredSocket, type SocketMeter } from './measured-socket.js';

/** Follows the trades of one market. */
export class TradeFeed {
  readonly #client: TradesClient;
  readonly #onChange: () => void;
  #subscription: TradeSubscription<LiveTrade> | undefined;
  #trades: readonly LiveTrade[] = [];
  #market: string | undefined;

  constructor(url: string, meter: SocketMeter, onChange: () => void) {
    this.#client = new TradesClient({ url, WebSocket: measuredSocket(meter, 'ignore') });
    this.#onChange = onChange;
  }

  /** Newest first. */
  get trades(): readonly LiveTrade[] {
    return this.#trades;
  }

  /**
   * Shows the trades of a market; displayed trades of the same market stay until new ones arrive.
   */
  show(market: string): void {
    this.stop();
    this.#trades = [];
    if (market !== this.#market) this.#onChange();
    this.#market = market;
    const subscription = this.#client.subscribe(market);
    this.#subscription = subscription;
    subscription.onTrades(({ trades, takenBack }) => {
      const reverted = new Set(takenBack.map(nameOf));
      const kept = this.#trades.filter((trade) => !reverted.has(nameOf(trade)));
      this.#trades = [...[...trades].reverse(), ...kept].slice(0, TRADES_SHOWN_MAX);
      this.#onChange();
    });
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
