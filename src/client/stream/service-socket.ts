/**
 * The socket of a service as its clients share it: it reads messages, obeys those about the socket
 * itself, and classifies errors.
 */

import type { Environment } from '../environment.js';
import { ClientError } from '../error.js';
import { type Message, objectOf } from '../fields.js';
import * as limits from '../limits.js';
import { Connection, type MessageData } from './connection.js';

/** How a socket is reached. */
export interface SocketOptions extends Environment {
  /** The address of the service (`http`, `https`) or of its socket (`ws`, `wss`). */
  readonly url: string;
}

/** The owner of a socket, which is notified of it. What it throws for a message restarts the socket. */
export interface ServiceSocketOwner {
  onOpen(): void;
  onMessage(message: Message): void;
  /** The service refuses something; `message` says what, as far as it does. */
  onError(error: ClientError, message: Message): void;
  onDisconnect(): void;
  /** Called with what is no message of this interface, before the socket restarts. */
  onUnreadable?(error: unknown): void;
}

/** A connection to the socket of one service. */
export class ServiceSocket {
  readonly connection: Connection;
  readonly #owner: ServiceSocketOwner;
  readonly #parse: (text: string) => unknown;

  /** Throws INVALID_OPTION for a malformed URL. */
  constructor(
    options: SocketOptions,
    owner: ServiceSocketOwner,
    parse: (text: string) => unknown = JSON.parse,
  ) {
    this.#owner = owner;
    this.#parse = parse;
    this.connection = new Connection(
      { ...options, address: serviceAddress(options) },
      {
        onOpen: () => owner.onOpen(),
        onMessage: (data) => this.#handleData(data),
        onDisconnect: () => owner.onDisconnect(),
      },
    );
  }

  #handleData(data: MessageData): void {
    try {
      const message = typeof data === 'string' ? this.#parse(data) : data();
      this.#handleMessage(objectOf(message, 'a message'));
    } catch (error) {
      // The messages after one that cannot be read cannot be trusted either.
      this.#owner.onUnreadable?.(error);
      this.connection.restart();
    }
  }

  #handleMessage(message: Message): void {
    const { type } = message;
    if (type === 'closing') {
      this.connection.setNextPause(Number(message['reconnectAfterMs']) || 0);
    } else if (type === 'error') {
      const text = String(message['message']).slice(0, limits.TEXT_CHARS_MAX);
      const code = String(message['code'] ?? 'MALFORMED_MESSAGE');
      this.#owner.onError(new ClientError(code, text), message);
    } else this.#owner.onMessage(message);
  }
}

/** Codes of refusals that pass. */
const TRANSIENT = ['NOT_READY', 'RATE_LIMITED', 'INTERNAL', 'LIMIT_EXCEEDED'];

/**
 * Whether the same subscription may be retried after a refusal. A limit of the service passes when
 * others leave, but not where it is this socket that has too many subscriptions.
 */
export function isTransient({ code }: ClientError, subscriptionCount: number): boolean {
  if (code === 'LIMIT_EXCEEDED' && subscriptionCount > limits.SUBSCRIPTIONS_MAX) return false;
  return TRANSIENT.includes(code);
}

/** The address of a service's socket, which is `/ws` below its own. Throws INVALID_OPTION. */
export function serviceAddress({ url }: SocketOptions): string {
  const [, tls, rest = '', query = ''] =
    /^(?:http|ws)(s?):\/\/([^/?][^?]*?)\/*(\?.*)?$/.exec(url) ?? [];
  if (tls === undefined) {
    const message = `url was ${url}, must begin with http://, https://, ws:// or wss://`;
    throw new ClientError('INVALID_OPTION', message);
  }
  return `ws${tls}://${rest.endsWith('/ws') ? rest : `${rest}/ws`}${query}`;
}
