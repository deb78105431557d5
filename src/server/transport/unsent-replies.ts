/**
 * The queue of unsent bytes of replies to slow clients, bounded in bytes over all connections and
 * in time for each connection. Beyond the bytes, the client for which most waits loses its oldest
 * replies.
 *
 * The transport itself would copy unsent bytes into an unbounded buffer for each connection. In
 * this queue, equal bodies share one copy.
 */
import { LIMITS } from '../../config/limits.js';
import type { Timers } from '../../contract/timers.js';
import { addressKey } from './client-address.js';

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

/** A body, and its client. */
interface SentBody {
  readonly body: Uint8Array | string;
  readonly identity?: object | string | undefined;
  /** Its address is read only when the body has to wait, in the call that sends it. */
  readonly client: { readonly ip: string };
}

/** A reply that its client has not read yet. */
interface UnsentReply {
  readonly client: string;
  readonly held: HeldBody;
  /** Removes the reply from the queue. */
  readonly release: () => void;
  readonly response: BodyWriter;
}

/** A body that at least one connection has not sent completely. */
interface HeldBody {
  readonly bytes: Uint8Array;
  users: number;
}

/** Sends bodies, and queues their unsent rest. */
export class UnsentReplies {
  readonly #held = new Map<object | string, HeldBody>();
  /** Oldest first. */
  readonly #replies = new Set<UnsentReply>();
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

  sendBody(response: BodyWriter, sent: SentBody): void {
    const { body } = sent;
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    const [, isDone] = response.tryEnd(body, length);
    if (!isDone) this.#sendLater(response, sent);
  }

  #sendLater(response: BodyWriter, { body, identity = {}, client }: SentBody): void {
    const key = typeof body === 'string' ? body : identity;
    const held = this.#holdBody(key, body);
    const { bytes } = held;
    const release = this.#addReply(response, { key, held, client: addressKey(client.ip) });
    response.onWritable((offset) => {
      const [isTaken, isDone] = response.tryEnd(bytes.subarray(offset), bytes.length);
      if (isDone) release();
      return isTaken;
    });
    while (this.#bytes > this.#limits.unsentBytesMax) this.#cutLargestClient();
  }

  /** Returns the function that takes the reply out of the queue. */
  #addReply(
    response: BodyWriter,
    { key, ...of }: Pick<UnsentReply, 'client' | 'held'> & { readonly key: object | string },
  ): () => void {
    // A deadline is needed because the transport never treats a client as idle that reads a few
    // bytes now and then.
    const timer = this.#timers.after(this.#limits.unsentMsMax, () => response.close());
    const release = (): void => {
      if (!this.#replies.delete(reply)) return;
      timer.cancel();
      this.#releaseBody(key);
    };
    const reply: UnsentReply = { ...of, release, response };
    this.#replies.add(reply);
    response.onAborted(release);
    return release;
  }

  /** Cuts a client off from its oldest body. A body that several replies wait for is shared. */
  #cutLargestClient(): void {
    const sums = new Map<string, number>();
    for (const { client, held } of this.#replies)
      sums.set(client, (sums.get(client) ?? 0) + held.bytes.length / held.users);
    const most = Math.max(...sums.values());
    const oldest = [...this.#replies].find(({ client }) => sums.get(client) === most);
    for (const { client, held, release, response } of this.#replies) {
      if (client !== oldest?.client || held !== oldest.held) continue;
      release();
      response.close();
    }
  }

  #holdBody(key: object | string, body: Uint8Array | string): HeldBody {
    const known = this.#held.get(key);
    if (known !== undefined) {
      known.users += 1;
      return known;
    }
    const isOwn = key === body && typeof body !== 'string';
    const held = { bytes: isOwn ? body : Buffer.from(body as Uint8Array), users: 1 };
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
export type UnsentLimits = Readonly<Record<'unsentBytesMax' | 'unsentMsMax', number>>;
