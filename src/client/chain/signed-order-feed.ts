/**
 * Receives orders from the signed-message server before they are on chain.
 *
 * ```ts
 * const feed = new SignedOrderFeed({ url: 'wss://swift.example/ws', publicKey, sign, markets: ['SOL-PERP'] });
 * feed.onOrder(({ order, uuid }) => console.log(uuid, order.params));
 * feed.open();
 * ```
 */

import { base64, bytesOfBase64 } from '../base64.js';
import type { Environment } from '../environment.js';
import { ClientError } from '../error.js';
import { flag, object, objectOf, orNull, text, whole } from '../fields.js';
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';
import { Connection, type ConnectionState } from '../stream/connection.js';
import { type Verify, verifyWithWebCrypto } from './signature.js';
import { decodeSignedOrder, type SignedOrder } from './signed-order.js';

/** How the feed is followed. */
export interface SignedOrderFeedOptions extends Environment {
  /** The WebSocket address of the server, `wss://HOST/ws`; the client's key is added to it. */
  readonly url: string;
  /** The wallet that signs in, base58. */
  readonly publicKey: string;
  /** Signs the server's challenge with the key of the client, ed25519: 64 bytes. */
  readonly sign: (challenge: Uint8Array) => Uint8Array | Promise<Uint8Array>;
  /** Perp markets by their names, `SOL-PERP`. */
  readonly markets: readonly string[];
  /** Whether to receive orders that the server has marked for sanitizing; false by default. */
  readonly acceptSanitized?: boolean;
  /** Whether to receive orders that require a deposit transaction first; false by default. */
  readonly acceptDepositTrade?: boolean;
  /** The verifier of order signatures: WebCrypto by default, a function of the caller, or none. */
  readonly verify?: Verify | 'none';
}

/** A received order. */
export interface SignedOrderMessage {
  readonly order: SignedOrder;
  /** The wallet that owns the order's account, base58. */
  readonly takerAuthority: string;
  /** The wallet that signed the order, base58: the owner or a delegate. */
  readonly signingAuthority: string;
  /** The signed message as hex; the signature covers the bytes of this text. */
  readonly message: string;
  /** 64 bytes. */
  readonly signature: Uint8Array;
  /** Identifies the order of a taker until the order has an order id. */
  readonly uuid: string;
  /** When the server took it, unix milliseconds. */
  readonly tsMs: number;
  readonly willSanitize: boolean;
  /** A deposit transaction that must be sent before the order, base64; null for most orders. */
  readonly deposit: string | null;
}

const orderMessage = object({
  order: object({
    order_message: text,
    order_signature: text,
    taker_authority: text,
    signing_authority: orNull(text),
    ts: whole,
    uuid: text,
    will_sanitize: orNull(flag),
  }),
  deposit: orNull(text),
});

/**
 * A reconnecting client that signs in and subscribes to its markets. An order that is unreadable or
 * has an invalid signature is not emitted but reported to `onError`.
 *
 * @example
 * const feed = new SignedOrderFeed({ url: 'ws://127.0.0.1:8081', publicKey, sign, markets:
 * ['SOL-PERP'] });
 * feed.onOrder(({ uuid, order }) => console.log(uuid, order));
 * feed.open();
 */
export class SignedOrderFeed {
  readonly #options: SignedOrderFeedOptions;
  readonly #connection: Connection;
  readonly #orders = new Listeners<SignedOrderMessage>();
  readonly #errors = new Listeners<ClientError>();
  /** Which connection it is. */
  #turn = 0;
  #cancelSilence: () => void = () => {};
  #cancelSubscribe: () => void = () => {};
  /** Resolves after the last order: orders are emitted in order of arrival, whenever verified. */
  #last: Promise<void> = Promise.resolve();

  /** Throws WEBSOCKET_NOT_FOUND without a WebSocket class. */
  constructor(options: SignedOrderFeedOptions) {
    this.#options = options;
    const { url, publicKey } = options;
    const address = `${url}${url.includes('?') ? '&' : '?'}pubkey=${encodeURIComponent(publicKey)}`;
    this.#connection = new Connection(
      { ...options, address },
      {
        onOpen: () => {
          this.#turn += 1;
          this.#watchSilence();
        },
        onMessage: (data) => typeof data === 'string' && this.#handleMessage(data),
        onDisconnect: () => this.#stopTimers(),
      },
    );
  }

  /** The connection state. */
  get state(): ConnectionState {
    return this.#connection.state;
  }

  /** Connects, unless it does already. */
  open(): void {
    this.#connection.open();
  }

  /** Ends it; it can be opened again. */
  close(): void {
    this.#connection.close();
    this.#stopTimers();
  }

  /** Registers a listener for every order; returns its unsubscribe function. */
  onOrder(listener: (message: SignedOrderMessage) => void): () => void {
    return this.#orders.add(listener);
  }

  /**
   * Registers a listener for errors: a rejection by the server, or an unreadable or invalid order.
   * Returns its unsubscribe function.
   */
  onError(listener: (error: ClientError) => void): () => void {
    return this.#errors.add(listener);
  }

  /**
   * Registers a listener for the start and the end of connections; returns its unsubscribe
   * function.
   */
  onState(listener: (state: ConnectionState) => void): () => void {
    return this.#connection.states.add(listener);
  }

  #handleMessage(json: string): void {
    this.#watchSilence();
    try {
      const message = objectOf(parseMessage(json), 'message');
      const channel = text(message['channel'], 'channel');
      if (message['error'] !== undefined) this.#throwRefusal(channel, message['error']);
      else if (channel === 'auth') this.#handleAuth(message);
      else if ('order' in message) this.#handleOrder(message);
    } catch (error) {
      this.#emitError(error);
    }
  }

  #throwRefusal(channel: string, error: unknown): void {
    const what = String(error).slice(0, limits.TEXT_CHARS_MAX);
    throw new ClientError(channel === 'auth' ? 'UNAUTHORIZED' : 'REFUSED', `${channel}: ${what}`);
  }

  #handleAuth(message: Readonly<Record<string, unknown>>): void {
    const { nonce } = message;
    if (typeof nonce === 'string') void this.#answerChallenge(nonce);
    else if (message['message'] === 'Authenticated') this.#subscribeMarket(0);
  }

  async #answerChallenge(nonce: string): Promise<void> {
    const { publicKey, sign } = this.#options;
    const turn = this.#turn;
    try {
      const signature = base64(await sign(new TextEncoder().encode(nonce)));
      // Signing may be slow: the connection that sent the challenge may have closed.
      if (turn === this.#turn) this.#connection.sendMessage({ pubkey: publicKey, signature });
    } catch (cause) {
      if (turn !== this.#turn) return;
      const message = 'the challenge of the server could not be signed';
      this.#emitError(new ClientError('UNAUTHORIZED', message, {}, { cause }));
      this.#connection.restart();
    }
  }

  /** Subscribes to one market after the other, with the pause that the server requires. */
  #subscribeMarket(index: number): void {
    const market = this.#options.markets[index];
    this.#connection.resetBackoff();
    if (market === undefined) return;
    this.#connection.sendMessage({ action: 'subscribe', market_type: 'perp', market_name: market });
    const { clock } = this.#connection;
    this.#cancelSubscribe = clock.after(limits.SIGNED_ORDERS_SUBSCRIBE_MS, () =>
      this.#subscribeMarket(index + 1),
    );
  }

  #handleOrder(message: unknown): void {
    const { order, deposit } = orderMessage(message, 'signed order');
    const { acceptSanitized = false, acceptDepositTrade = false } = this.#options;
    const willSanitize = order.will_sanitize ?? false;
    if ((willSanitize && !acceptSanitized) || (deposit !== null && !acceptDepositTrade)) return;
    const signature = bytesOfBase64(order.order_signature);
    if (signature === null) {
      throw new ClientError('INVALID_SIGNATURE', `the signature of ${order.uuid} is not base64`);
    }
    const taken: SignedOrderMessage = {
      order: decodeSignedOrder(order.order_message),
      takerAuthority: order.taker_authority,
      signingAuthority: order.signing_authority ?? order.taker_authority,
      message: order.order_message,
      signature,
      uuid: order.uuid,
      tsMs: order.ts,
      willSanitize,
      deposit,
    };
    checkWhose(taken);
    this.#last = this.#last.then(() => this.#verifyOrder(taken));
  }

  async #verifyOrder(taken: SignedOrderMessage): Promise<void> {
    const { verify = verifyWithWebCrypto } = this.#options;
    const { signature, signingAuthority: signer } = taken;
    const message = new TextEncoder().encode(taken.message);
    try {
      const holds = verify === 'none' || (await verify({ message, signature, signer }));
      if (!holds) {
        const text = `the signature of ${taken.uuid} is not of ${signer}`;
        throw new ClientError('INVALID_SIGNATURE', text);
      }
      if (this.state === 'open') this.#orders.emit(taken);
    } catch (error) {
      this.#emitError(error);
    }
  }

  #emitError(error: unknown): void {
    if (error instanceof ClientError) {
      this.#errors.emit(error);
      return;
    }
    const message = `signed order: ${String(error).slice(0, limits.TEXT_CHARS_MAX)}`;
    this.#errors.emit(new ClientError('INVALID_SIGNATURE', message, {}, { cause: error }));
  }

  #watchSilence(): void {
    this.#cancelSilence();
    const { clock } = this.#connection;
    this.#cancelSilence = clock.after(limits.SIGNED_ORDERS_SILENCE_MS_MAX, () =>
      this.#connection.restart(),
    );
  }

  #stopTimers(): void {
    this.#cancelSilence();
    this.#cancelSubscribe();
  }
}

/** Checks that the fields next to the signed text match it. */
function checkWhose({ order, uuid, takerAuthority, signingAuthority }: SignedOrderMessage): void {
  if (order.uuid !== uuid) {
    throw new ClientError(
      'INVALID_SIGNATURE',
      `the order ${order.uuid} came with the uuid ${uuid}`,
    );
  }
  if (order.taker.signedBy === 'authority' && signingAuthority !== takerAuthority) {
    const text = `${uuid} is an order of ${takerAuthority}, signed by ${signingAuthority}`;
    throw new ClientError('INVALID_SIGNATURE', text);
  }
}

function parseMessage(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    const start = json.slice(0, limits.TEXT_CHARS_MAX);
    throw new ClientError('MALFORMED_ANSWER', `message is not JSON: ${start}`, {}, { cause });
  }
}
