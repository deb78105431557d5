/** The rules that successive whole books of one client must obey. */
import type { L2Book } from '../client/generated/books.js';

/** The books of one client and market. */
export class BookCheck {
  #epoch: string | undefined;
  #seq = 0;

  /** Returns the rule that a book violates; undefined when it is correct. */
  findFault({ marketName, epoch, seq, bids, asks }: L2Book): string | undefined {
    const before = this.#seq;
    const isSameEpoch = epoch === this.#epoch;
    [this.#epoch, this.#seq] = [epoch, seq];
    if (isSameEpoch && seq < before) return `${marketName}: seq ${seq} came after ${before}`;
    if (!isSorted(bids.map(({ price }) => -price))) return `${marketName}: bids are not sorted`;
    if (!isSorted(asks.map(({ price }) => price))) return `${marketName}: asks are not sorted`;
    return undefined;
  }
}

function isSorted(prices: readonly bigint[]): boolean {
  return prices.every((price, at) => at === 0 || price > (prices[at - 1] as bigint));
}
