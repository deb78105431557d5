/** The books of a reader of the streaming channel, kept from its frames as docs/streaming.md says. */

export class StreamBooks {
  #books = new Map();

  /** Applies a snapshot or a delta; a delta that does not continue the last frame is refused. */
  apply({ type, market, prev, seq, bids, asks }) {
    if (type === 'snapshot') this.#books.set(market, { bids: new Map(), asks: new Map() });
    const book = this.#books.get(market);
    if (type === 'delta' && prev !== book?.seq) {
      throw new Error(`a delta of ${market} follows ${prev}, the reader has ${book?.seq}`);
    }
    book.seq = seq;
    for (const [side, rows] of Object.entries({ bids, asks })) {
      for (const [price, size, sources] of rows) {
        if (size === '0') book[side].delete(price);
        else book[side].set(price, { price, size, sources });
      }
    }
  }

  /** Throws unless the book of a market is that of a frame of the compatible channel. */
  requireSame(frame) {
    const { marketName, bids, asks } = JSON.parse(frame.data);
    const book = this.#books.get(marketName);
    const kept = { bids: levels(book.bids, -1), asks: levels(book.asks, 1) };
    if (kept.bids.length === 0 || JSON.stringify(kept) !== JSON.stringify({ bids, asks })) {
      throw new Error(`a reader of deltas has another book of ${marketName}`);
    }
  }
}

function levels(side, direction) {
  return [...side.values()].sort((a, b) => direction * (Number(a.price) - Number(b.price)));
}
