import type { IndicativeQuote, QuotedSide } from '../contract/indicative.js';

/** Bytes of a quote: flags, then the bid's price and size and the ask's, little-endian. */
const RECORD_BYTES = 33;

const FLAG = { bid: 1, ask: 2, isOracleOffset: 4 } as const;

/** Encodes quotes as the core reads them. Numbers are truncated to 64 bits. */
export function packQuotes(quotes: readonly IndicativeQuote[]): Uint8Array {
  const bytes = new Uint8Array(quotes.length * RECORD_BYTES);
  const view = new DataView(bytes.buffer);
  quotes.forEach(({ bid, ask, isOracleOffset }, index) => {
    const at = index * RECORD_BYTES;
    const flags =
      (bid === null ? 0 : FLAG.bid) |
      (ask === null ? 0 : FLAG.ask) |
      (isOracleOffset ? FLAG.isOracleOffset : 0);
    view.setUint8(at, flags);
    if (bid !== null) writeSide(view, at + 1, bid);
    if (ask !== null) writeSide(view, at + 17, ask);
  });
  return bytes;
}

function writeSide(view: DataView, at: number, { price, size }: QuotedSide): void {
  view.setBigInt64(at, price, true);
  view.setBigUint64(at + 8, size, true);
}
