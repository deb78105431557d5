import { functions } from 'ccxt';

/** The checksum covers so many rows of each side. */
const CHECKSUM_ROWS = 10;

/** The book of one topic: rows as texts, and the number that the next frame must follow. */
export class FollowedBook {
  /** Epoch, number, slot, time and state of the last frame. */
  stamp = {};
  #bids = [];
  #asks = [];
  #isWhole = false;

  /** Whether the best bid is above the best ask. */
  get isCrossed() {
    const [[bid], [ask]] = [this.#bids, this.#asks];
    return bid !== undefined && ask !== undefined && Number(bid[0]) > Number(ask[0]);
  }

  /** The rows of `bids` or `asks`, best first, as [price, size]. */
  rows(side) {
    return side === 'bids' ? this.#bids : this.#asks;
  }

  /** Takes a snapshot, a delta or a heartbeat. False where it does not fit: only a snapshot helps then. */
  applyFrame(frame) {
    if (frame.type === 'snapshot') this.#replaceRows([], [], frame);
    else if (!this.#isNext(frame)) this.#isWhole = false;
    else if (frame.type === 'delta') this.#replaceRows(this.#bids, this.#asks, frame);
    const { epoch, seq, slot, ts, state } = frame;
    this.stamp = { epoch, seq, slot, ts, state };
    return this.#isWhole;
  }

  #isNext({ type, epoch, prev, seq, bids, asks }) {
    if (!this.#isWhole || epoch !== this.stamp.epoch) return false;
    const at = this.stamp.seq;
    if (type !== 'delta') return seq === at;
    // A change of state alone, without rows, may be at the number of the book.
    const isStateAlone = bids.length === 0 && asks.length === 0;
    return prev <= at && (at < seq || (at === seq && isStateAlone));
  }

  #replaceRows(bids, asks, frame) {
    this.#bids = changed(bids, frame.bids, (one, other) => other - one);
    this.#asks = changed(asks, frame.asks, (one, other) => one - other);
    this.#isWhole = this.#checksum() === frame.crc;
  }

  #checksum() {
    const parts = [];
    for (let row = 0; row < CHECKSUM_ROWS; row += 1) {
      parts.push(...(this.#bids[row] ?? []), ...(this.#asks[row] ?? []));
    }
    return parts.length === 0 ? 0 : functions.crc32(parts.join(':')) >>> 0;
  }
}

/** The rows after the changes, in order; a row of size 0 goes. */
function changed(rows, changes, order) {
  const byPrice = new Map(rows);
  for (const [price, size] of changes) {
    if (size === '0') byPrice.delete(price);
    else byPrice.set(price, size);
  }
  return [...byPrice].sort(([one], [other]) => order(Number(one), Number(other)));
}
