import type { Timer, Timers } from '../contract/timers.js';
import { RpcError } from './error.js';
import { isRecord, refusalOfResponse } from './http-response.js';
import { EARLY_NOTIFICATIONS_MAX, SOCKET_SUBSCRIPTIONS_MAX } from './limits.js';

/** A server's id of a subscription; it is a text of digits when a number cannot represent it. */
export type SubscriptionId = number | string;

/** Receives the `result` of each notification of one subscription, without validation. */
export type NotificationHandler = (result: unknown) => void;

/** A registered request that waits to be sent and acknowledged. */
interface PendingRequest {
  readonly id: number;
  /** The server's subscription id. */
  readonly acknowledged: Promise<SubscriptionId>;
}

/** The kind of a message, for the counters of the socket. */
export type MessageKind = 'notification' | 'early' | 'acknowledgement' | 'unknown' | 'overflow';

interface Waiting {
  readonly handler: NotificationHandler;
  readonly timer: Timer;
  resolve(subscription: SubscriptionId): void;
  reject(error: RpcError): void;
}

/** Dependencies of a table. */
interface SubscriptionTableOptions {
  readonly timers: Timers;
  readonly ackTimeoutMs: number;
}

/**
 * The subscriptions of one connection. The table lives as long as the connection, because a server
 * reuses ids after a reconnect.
 *
 * A server may send a notification before the acknowledgement that contains its id: such early
 * notifications are buffered, and delivered with the acknowledgement.
 */
export class SubscriptionTable {
  readonly #options: SubscriptionTableOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #handlers = new Map<SubscriptionId, NotificationHandler>();
  readonly #early = new Map<SubscriptionId, unknown[]>();
  #earlyCount = 0;
  #nextId = 1;

  constructor(options: SubscriptionTableOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#waiting.size + this.#handlers.size;
  }

  /** Registers a subscription request; its promise rejects without a timely acknowledgement. */
  openRequest(method: string, handler: NotificationHandler): PendingRequest {
    if (this.size >= SOCKET_SUBSCRIPTIONS_MAX) {
      const message = `subscriptions were ${this.size}, must be at most ${SOCKET_SUBSCRIPTIONS_MAX}`;
      throw new RpcError('SUBSCRIPTIONS_EXCEEDED', message, { method });
    }
    const id = this.nextId();
    const acknowledged = new Promise<SubscriptionId>((resolve, reject) => {
      const limitMs = this.#options.ackTimeoutMs;
      const timer = this.#options.timers.after(limitMs, () => {
        const message = `${method} was not acknowledged within ${limitMs} ms`;
        this.#takeWaiting(id)?.reject(new RpcError('RPC_TIMEOUT', message, { method }));
      });
      this.#waiting.set(id, { handler, timer, resolve, reject });
    });
    return { id, acknowledged };
  }

  /** Returns a request id for a message whose reply is ignored. */
  nextId(): number {
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }

  /** Removes a subscription; later notifications are dropped. */
  removeSubscription(subscription: SubscriptionId): void {
    this.#handlers.delete(subscription);
  }

  /** Processes one parsed message; `toText` returns the message as received. */
  handleMessage(message: unknown, toText: () => string): MessageKind {
    if (!isRecord(message)) return 'unknown';
    if (typeof message['method'] === 'string') {
      return this.#handleNotification(message['params'], toText);
    }
    const id = message['id'];
    return typeof id === 'number' ? this.#handleResponse(id, message, toText) : 'unknown';
  }

  /**
   * Call this when the connection has ended: every pending request fails, and all subscriptions are
   * removed.
   */
  closeAll(error: RpcError): void {
    for (const id of [...this.#waiting.keys()]) this.#takeWaiting(id)?.reject(error);
    this.#handlers.clear();
  }

  #handleNotification(params: unknown, toText: () => string): MessageKind {
    const id = isRecord(params) ? exactId(params, 'subscription', toText) : undefined;
    if (!isRecord(params) || id === undefined) return 'unknown';
    const handler = this.#handlers.get(id);
    if (handler === undefined) return this.#keepEarly(id, params['result']);
    handler(params['result']);
    return 'notification';
  }

  #keepEarly(subscription: SubscriptionId, result: unknown): MessageKind {
    if (this.#waiting.size === 0) return 'unknown';
    if (this.#earlyCount >= EARLY_NOTIFICATIONS_MAX) return 'overflow';
    const kept = this.#early.get(subscription) ?? [];
    kept.push(result);
    this.#early.set(subscription, kept);
    this.#earlyCount += 1;
    return 'early';
  }

  #handleResponse(id: number, message: MessageMembers, toText: () => string): MessageKind {
    const waiting = this.#takeWaiting(id);
    if (waiting === null) return 'unknown';
    const refusal = refusalOfResponse(message);
    const subscription = exactId(message, 'result', toText);
    if (refusal !== null) waiting.reject(refusal.error);
    else if (subscription !== undefined) this.#acknowledgeRequest(waiting, subscription);
    else {
      const text = 'acknowledgement did not have a number as its subscription id';
      waiting.reject(new RpcError('MALFORMED_RPC_ANSWER', text));
    }
    if (this.#waiting.size === 0) this.#forgetEarly();
    return 'acknowledgement';
  }

  #acknowledgeRequest(waiting: Waiting, subscription: SubscriptionId): void {
    this.#handlers.set(subscription, waiting.handler);
    waiting.resolve(subscription);
    for (const result of this.#early.get(subscription) ?? []) waiting.handler(result);
    this.#early.delete(subscription);
  }

  /**
   * Without pending requests, early notifications belong to ended subscriptions and are dropped.
   */
  #forgetEarly(): void {
    this.#early.clear();
    this.#earlyCount = 0;
  }

  #takeWaiting(id: number): Waiting | null {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return null;
    waiting.timer.cancel();
    this.#waiting.delete(id);
    return waiting;
  }
}

type MessageMembers = Readonly<Record<string, unknown>>;

/** Returns the id of a subscription as the server wrote it; undefined without an id. */
function exactId(
  members: MessageMembers,
  name: 'subscription' | 'result',
  toText: () => string,
): SubscriptionId | undefined {
  const value = members[name];
  if (typeof value !== 'number') return undefined;
  if (Number.isSafeInteger(value)) return value;
  return new RegExp(`"${name}"\\s*:\\s*(\\d+)\\s*[,}]`).exec(toText())?.[1];
}
