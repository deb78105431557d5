/**
 * The queue of unsent bytes of replies to slow clients, bounded in bytes over all connections and
 * in time for each connection.
 *
 * The transport itself would copy unsent bytes into an unbounded buffer for each connection. In
 * this queue, equal bodies share one copy.
 */
import { LIMITS } from '../../config/limits.js';
import type { Timers } from '../../contract/timers.js';
import { ServerError } from './errors.js';
import { errorReply, type Reply } from './reply.js';

/** The members of the transport's response that this file uses. */
export interface BodyWriter {
  /**
   * Sends as many bytes as the network accepts. Returns whether all bytes were accepted, and
   * whether the reply is complete.
   */
  tryEnd(rest: Uint8Array | string, bytesInAll: number): [isTaken: boolean, isDone: boolean];
  onWritable(handler: (offset: number) => boolean): unknown;
  onAborted(handler: () => void): unknown;
  close(): unknown;
}

/** A body that at least one connection has not sent completely. */
interface HeldBody {
  readonly bytes: Uint8Array;
  users: number;
}

/** Sends bodies, and queues their unsent rest. */
export class UnsentReplies {
  readonly #held = new Map<object | string, HeldBody>();
  readonly #timers: Timers;
  readonly #limits: UnsentLimits;
  #bytes = 0;

  constructor(timers: Timers, limits: UnsentLimits = LIMITS) {
    this.#timers = timers;
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Returns a rejection to send in place of a large reply when too many bytes are queued; otherwise
   * undefined.
   */
  checkReply({ body }: Reply): Reply | undefined {
    const { unsentBytesMax, unsentBodyBytesMin } = this.#limits;
    if (this.#bytes < unsentBytesMax || body === null) return undefined;
    return body.length < unsentBodyBytesMin ? undefined : fullReply;
  }

  sendBody(response: BodyWriter, body: Uint8Array | string, identity?: object | string): void {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    const [, isDone] = response.tryEnd(body, length);
    if (!isDone) this.#sendLater(response, body, identity);
  }

  #sendLater(
    response: BodyWriter,
    body: Uint8Array | string,
    identity: object | string = {},
  ): void {
    const key = typeof body === 'string' ? body : identity;
    const { bytes } = this.#holdBody(key, body);
    // A deadline is needed because the transport never treats a client as idle that reads a few
    // bytes now and then.
    const timer = this.#timers.after(this.#limits.unsentMsMax, () => response.close());
    const release = (): void => {
      timer.cancel();
      this.#releaseBody(key);
    };
    response.onAborted(release);
    response.onWritable((offset) => {
      const [isTaken, isDone] = response.tryEnd(bytes.subarray(offset), bytes.length);
      if (isDone) release();
      return isTaken;
    });
  }

  #holdBody(key: object | string, body: Uint8Array | string): HeldBody {
    const known = this.#held.get(key);
    if (known !== undefined) {
      known.users += 1;
      return known;
    }
    const held = {
      bytes: key === body && typeof body !== 'string' ? body : copyOf(body),
      users: 1,
    };
    this.#held.set(key, held);
    this.#bytes += held.bytes.length;
    return held;
  }

  #releaseBody(key: object | string): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    held.users -= 1;
    if (held.users > 0) return;
    this.#held.delete(key);
    this.#bytes -= held.bytes.length;
  }
}

/** The limits, which tests lower. */
export type UnsentLimits = {
  readonly [Name in 'unsentBytesMax' | 'unsentBodyBytesMin' | 'unsentMsMax']: number;
};

function copyOf(body: Uint8Array | string): Uint8Array {
  // `Uint8Array.from` takes five times as long.
  return typeof body === 'string' ? Buffer.from(body) : Buffer.from(body);
}

const fullReply = errorReply(
  new ServerError(
    'LIMIT_EXCEEDED',
    'too many clients are reading their replies slowly; small replies are still sent',
  ),
);
