import { candlePointOf } from '../candles/rules.js';
import type { HistoryMarket, TradeRow } from '../model/records.js';
import { decodeBase58 } from '../store/base58.js';
import { streamTradeText } from './trade-text.js';

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** The account keys of a trade as bytes; null for a missing account. */
export interface TradeKeys {
  readonly txSig: Uint8Array;
  readonly filler: Uint8Array | null;
  readonly taker: Uint8Array | null;
  readonly maker: Uint8Array | null;
}

/** A trade for subscribers; its text and its keys are made once and shared by all topics. */
export class StreamTrade {
  readonly row: TradeRow;
  readonly market: HistoryMarket;
  #text: string | undefined;
  #keys: TradeKeys | undefined;

  constructor(row: TradeRow, market: HistoryMarket) {
    this.row = row;
    this.market = market;
  }

  get text(): string {
    this.#text ??= streamTradeText(this.row, this.market);
    return this.#text;
  }

  get keys(): TradeKeys {
    const { txSig, filler, taker, maker } = this.row;
    this.#keys ??= {
      txSig: bytesOf(txSig, SIGNATURE_BYTES),
      ...{ filler: keyOf(filler), taker: keyOf(taker), maker: keyOf(maker) },
    };
    return this.#keys;
  }
}

/** Whether a fill is sent: position transfers are not trades, as in /trades. */
export function isStreamed(row: TradeRow, { decimals }: HistoryMarket): boolean {
  return candlePointOf(row, decimals) !== null;
}

function keyOf(key: string | null): Uint8Array | null {
  return key === null ? null : bytesOf(key, KEY_BYTES);
}

/** The store has these bytes, and made the text from them. */
function bytesOf(text: string, length: number): Uint8Array {
  const bytes = decodeBase58(text, length);
  if (bytes === null) throw new Error(`Invariant: ${text} is base58 of ${length} bytes`);
  return bytes;
}
