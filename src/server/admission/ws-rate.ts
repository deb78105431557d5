/**
 * How many messages a client may send: a bucket that fills by the second. What is sent beyond it is
 * owed, so that a client which goes on regardless is told apart from one that was hasty once.
 */
import { LIMITS } from '../../config/limits.js';

/** What becomes of a message. */
export type MessageVerdict = 'allowed' | 'refused' | 'abusive';

/** The bucket of one socket. */
export class MessageLimiter {
  private credit: number;
  private filledAtMs: number;

  /** `perSecond` is both the lasting rate and the burst; at least 1. */
  constructor(
    private readonly perSecond: number,
    nowMs: number,
  ) {
    this.credit = perSecond;
    this.filledAtMs = nowMs;
  }

  countMessage(nowMs: number): MessageVerdict {
    const gained = ((nowMs - this.filledAtMs) / 1_000) * this.perSecond;
    this.filledAtMs = nowMs;
    this.credit = Math.min(this.perSecond, this.credit + gained) - 1;
    if (this.credit >= 0) return 'allowed';
    return this.credit >= -this.perSecond * LIMITS.messageDebtSecondsMax ? 'refused' : 'abusive';
  }
}
