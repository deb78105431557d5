import { Random } from '../random.js';

const LOGS_NOTIFICATION = /"method":"logsNotification"/;
const HEAD_BYTES = 128;
/** One notification in this many is duplicated, and one in this many delayed. */
const ONE_IN = 3;
/** Maximum messages that overtake a delayed one. */
const PASSED_MAX = 6;

/**
 * Duplicates and reorders the log notifications of one connection, like a node that falls behind
 * and catches up. None is lost: a delayed notification is sent after some other messages, and slot
 * notifications never stop.
 */
export class LogDisorder {
  readonly #random: Random;
  readonly #held: { readonly message: Buffer; passes: number }[] = [];

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  /** Returns the messages to forward when this message arrives. */
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
function isLogsNotification(message: Buffer): boolean {
  return LOGS_NOTIFICATION.test(message.toString('latin1', 0, HEAD_BYTES));
}
