import { Random } from '../random.js';

const LOGS_NOTIFICATION = /"method":"logsNotification"/;
const HEAD_BYTES = 128;
/** One notification in so many comes twice, and one in so many late. */
const ONE_IN = 3;
/** The most messages that pass one which is held back. */
const PASSED_MAX = 6;

/**
 * Makes the log notifications of one connection come twice and out of order, as a node's do when it
 * falls behind and catches up. It loses none: what is held back goes when other messages have
 * passed, of which slots are always some.
 */
export class LogDisorder {
  readonly #random: Random;
  readonly #held: { readonly message: Buffer; passes: number }[] = [];

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  /** What goes out when this message has come. */
  passMessage(message: Buffer): Buffer[] {
    const due = this.#takeDue();
    if (!isLogsNotification(message)) return [...due, message];
    if (this.#random.oneIn(ONE_IN)) {
      this.#holdBack(message);
      return due;
    }
    if (this.#random.oneIn(ONE_IN)) this.#holdBack(message);
    return [message, ...due];
  }

  #holdBack(message: Buffer): void {
    this.#held.push({ message, passes: this.#random.nextBetween(1, PASSED_MAX) });
  }

  #takeDue(): Buffer[] {
    for (const held of this.#held) held.passes -= 1;
    const due = this.#held.filter(({ passes }) => passes <= 0).map(({ message }) => message);
    if (due.length > 0) {
      this.#held.splice(0, this.#held.length, ...this.#held.filter(({ passes }) => passes > 0));
    }
    return due;
  }
}

/** Whether the message is a notification of logsSubscribe. */
export function isLogsNotification(message: Buffer): boolean {
  return LOGS_NOTIFICATION.test(message.toString('latin1', 0, HEAD_BYTES));
}
