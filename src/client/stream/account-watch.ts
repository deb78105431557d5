/**
 * Follows an account, or all accounts of a wallet, over the channel `user` of docs/user-stream.md. A
 * missed frame is repaired by resuming, or by a new snapshot.
 */
import { accountOwner, accountParts } from '../account-body.js';
import type { ClientError } from '../error.js';
import {
  base,
  list,
  type Message,
  type Of,
  object,
  orNull,
  quote,
  text,
  whole,
  word,
} from '../fields.js';
import { accountOrder } from '../generated/accounts.js';
import { tradeRecord } from '../generated/records.js';
import { bookState } from '../generated/rows.js';
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';
import { isTransient, ServiceSocket, type SocketOptions } from './service-socket.js';

const fill = object({
  orderId: whole,
  marketName: orNull(text),
  direction: word('long', 'short'),
  base,
  quote,
});

const toldTrade = object({
  status: word('confirmed', 'finalized', 'reverted'),
  trade: tradeRecord,
});

const version = { epoch: text, seq: whole, slot: whole, ts: whole, state: bookState };
const snapshot = object(
  { ...version, ...accountOwner, orders: list(accountOrder), ...accountParts },
  { reason: word('closed', 'malformed') },
);
const orderChanges = object({ set: list(accountOrder), remove: list(whole) });
const delta = object(
  { ...version, prev: whole, orders: orderChanges, fills: list(fill), trades: list(toldTrade) },
  { ...accountParts, reason: word('closed', 'malformed') },
);

/** What an order has filled since the last update; base at 1e9, quote at 1e6. */
export type AccountFill = Of<typeof fill>;

/** What became of a fill: it was logged, it stays, or a fork has removed it. */
export type ToldTrade = Of<typeof toldTrade>;

/** An account as it is. */
export type WatchedAccount = Of<typeof snapshot> & {
  /** What has filled since the last update of this account. */
  readonly fills: readonly AccountFill[];
  /** What became of fills since then; each is told two times or more. */
  readonly trades: readonly ToldTrade[];
};

/**
 * Follows one account, or the accounts of one wallet, over a socket of its own.
 *
 * @example
 * const watch: AccountWatch = watchAccount('9VtK...', { url: 'http://127.0.0.1:8080' });
 * watch.onUpdate(({ orders }) => console.log(orders.length));
 */
export class AccountWatch {
  readonly #socket: ServiceSocket;
  readonly #request: object;
  readonly #updates = new Listeners<WatchedAccount>();
  readonly #errors = new Listeners<ClientError>();
  /** By topic. */
  readonly #accounts = new Map<unknown, WatchedAccount>();
  #heardMs = 0;
  #cancelTimer = (): void => {};

  /** `watchAccount` and `watchAuthority` create it. */
  constructor(options: SocketOptions, request: { account: string } | { authority: string }) {
    this.#request = { type: 'subscribe', id: 1, channel: 'user', ...request };
    this.#socket = new ServiceSocket(
      { ...options, encoding: 'json' },
      {
        onOpen: () => this.#subscribe(),
        onMessage: (message) => this.#handleMessage(message),
        onError: (error, message) => this.#handleError(error, message),
        onDisconnect: () => this.#cancelTimer(),
      },
    );
    this.#socket.connection.open();
  }

  /** The accounts as they are; those of the last connection while there is none. */
  get accounts(): readonly WatchedAccount[] {
    return [...this.#accounts.values()];
  }

  /** Registers a listener for every update of an account. Returns its unsubscribe function. */
  onUpdate(listener: (account: WatchedAccount) => void): () => void {
    return this.#updates.add(listener);
  }

  /** Registers a listener for a refusal, as of an unknown account, which ends the watch. */
  onError(listener: (error: ClientError) => void): () => void {
    return this.#errors.add(listener);
  }

  /** Ends the watch. */
  close(): void {
    this.#cancelTimer();
    this.#socket.connection.close();
  }

  /** Subscribes; one account is resumed where it is known. */
  #subscribe(canResume = true): void {
    const [known] = this.#accounts.values();
    const isOne = 'account' in this.#request && canResume && known !== undefined;
    const resume = isOne ? { resume: { epoch: known.epoch, seq: known.seq } } : {};
    this.#socket.connection.sendMessage({ ...this.#request, ...resume });
    this.#heardMs = this.#socket.connection.clock.monotonicMs();
    this.#watchSilence();
  }

  #watchSilence(): void {
    const { connection } = this.#socket;
    this.#cancelTimer();
    this.#cancelTimer = connection.clock.after(limits.WATCH_MS, () => {
      const silentMs = connection.clock.monotonicMs() - this.#heardMs;
      if (silentMs > limits.SILENCE_MS_MAX) connection.restart();
      else this.#watchSilence();
    });
  }

  #handleMessage(message: Message): void {
    const { type, topic, topics, id, seq, epoch } = message;
    this.#heardMs = this.#socket.connection.clock.monotonicMs();
    const known = this.#accounts.get(topic);
    if (type === 'snapshot') {
      this.#setValues(topic, { ...snapshot(message, 'a snapshot'), fills: [], trades: [] });
    } else if (type === 'delta') {
      this.#applyDelta(topic, known, delta(message, 'a delta'));
    } else if (type === 'heartbeat' && (known?.seq !== seq || known?.epoch !== epoch)) {
      this.#subscribe(false);
    } else if (type === 'subscribed' && id === 1 && Array.isArray(topics)) {
      // Others have gone while there was no connection.
      for (const other of this.#accounts.keys()) {
        if (!topics.includes(other)) this.#accounts.delete(other);
      }
    }
  }

  #applyDelta(topic: unknown, known: WatchedAccount | undefined, next: Of<typeof delta>): void {
    const { prev, orders, ...members } = next;
    if (known === undefined || known.epoch !== next.epoch || known.seq < prev) {
      this.#subscribe(false);
      return;
    }
    if (next.seq <= known.seq) return;
    const changed = new Set([...orders.remove, ...orders.set.map(({ orderId }) => orderId)]);
    const kept = known.orders.filter(({ orderId }) => !changed.has(orderId));
    const { reason: _, ...rest } = known;
    this.#setValues(topic, { ...rest, ...members, orders: [...kept, ...orders.set] });
  }

  #setValues(topic: unknown, account: WatchedAccount): void {
    this.#accounts.set(topic, account);
    this.#socket.connection.resetBackoff();
    this.#updates.emit(account);
  }

  #handleError(error: ClientError, { topic }: Message): void {
    if (isTransient(error, 1)) {
      const { clock } = this.#socket.connection;
      this.#cancelTimer();
      this.#cancelTimer = clock.after(limits.RESUBSCRIBE_MS, () => this.#subscribe());
    } else if ('authority' in this.#request && /^user:[^*]/.test(String(topic))) {
      // A wallet without this account has others.
      this.#accounts.delete(topic);
    } else {
      this.close();
      this.#errors.emit(error);
    }
  }
}

/**
 * Follows a user account (base58).
 *
 * @example
 * const watch = watchAccount('9VtK...', { url: 'http://127.0.0.1:8080' });
 * watch.onUpdate(({ margin }) => console.log(margin?.health));
 */
export function watchAccount(account: string, options: SocketOptions): AccountWatch {
  return new AccountWatch(options, { account });
}

/**
 * Follows all accounts of a wallet (base58), new ones too.
 *
 * @example
 * const watch = watchAuthority('4rmh...', { url: 'http://127.0.0.1:8080' });
 * watch.onUpdate(({ account, fills }) => fills.forEach((fill) => console.log(account, fill)));
 */
export function watchAuthority(authority: string, options: SocketOptions): AccountWatch {
  return new AccountWatch(options, { authority });
}
