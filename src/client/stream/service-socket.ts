/**
 * The shared socket of a service: parses messages, handles messages about the socket itself,
 * classifies errors, and chooses between binary and JSON.
 */

import type { BinaryTopics } from '../binary/binary-topics.js';
import { type Environment, withAbort } from '../environment.js';
import { ClientError } from '../error.js';
import { type Message, objectOf, text } from '../fields.js';
import * as limits from '../limits.js';
import { Connection } from './connection.js';

/** How a socket is reached. */
export interface SocketOptions extends Environment {
  /** The address of the service (`http`, `https`) or of its socket (`ws`, `wss`). */
  readonly url: string;
}

/** The encoding of the service's updates. */
export interface EncodingOptions {
  /**
   * The encoding; `binary`, the default, has a tenth of JSON's size. A service without binary
   * support sends JSON, and the client requests JSON when the decoder module, which is imported
   * with the first connection, cannot be loaded.
   */
  readonly encoding?: 'binary' | 'json' | undefined;
}

/** The callbacks of a socket's owner. An error thrown for a message restarts the socket. */
interface ServiceSocketOwner {
  onOpen(): void;
  onMessage(message: Message): void;
  /** Called when the service has rejected something; `message` has the details. */
  onError(error: ClientError, message: Message): void;
  onDisconnect(): void;
  /** Called when the client falls back to JSON, because the decoder was not loaded. */
  onRetry?(error: ClientError): void;
  /** Called with an unreadable message, before the socket restarts. */
  onUnreadable?(error: unknown): void;
}

/** A connection to the socket of one service. */
export class ServiceSocket {
  readonly connection: Connection;
  readonly #owner: ServiceSocketOwner;
  readonly #parse: (text: string) => unknown;
  #loading: Promise<void> | undefined;
  /** Undefined for JSON. */
  #binary: BinaryTopics | undefined;

  /** Throws INVALID_OPTION for a malformed URL. */
  constructor(
    options: SocketOptions & EncodingOptions,
    owner: ServiceSocketOwner,
    parse: (text: string) => unknown = JSON.parse,
  ) {
    this.#owner = owner;
    this.#parse = parse;
    this.connection = new Connection(
      { ...options, address: serviceAddress(options) },
      {
        prepare: () => this.#prepareBinary(options),
        onOpen: () => owner.onOpen(),
        onMessage: (data) => this.#handleData(data),
        onDisconnect: () => owner.onDisconnect(),
      },
    );
  }

  /** Sends `subscribe` or `unsubscribe`, with the encoding that all topics use. */
  sendTopic(message: object): void {
    this.connection.sendMessage(this.#binary?.requestOf(message) ?? message);
  }

  #prepareBinary({ encoding }: EncodingOptions): Promise<void> | undefined {
    if (encoding !== 'json') this.#loading ??= this.#loadBinary();
    return this.#loading;
  }

  /** Loads the binary decoder once. If it fails, all topics are JSON. */
  async #loadBinary(): Promise<void> {
    const late = new AbortController();
    const cancel = this.connection.clock.after(limits.BINARY_LOAD_MS_MAX, () => late.abort());
    try {
      const { BinaryTopics } = await withAbort(import('../binary/binary-topics.js'), late.signal);
      this.#binary = new BinaryTopics();
    } catch (cause) {
      const message = 'the binary decoder was not loaded';
      this.#owner.onRetry?.(new ClientError('BINARY_NOT_LOADED', message, {}, { cause }));
    } finally {
      cancel();
    }
  }

  #handleData(data: string | ArrayBuffer): void {
    try {
      const message =
        typeof data === 'string'
          ? this.#parse(data)
          : this.#binary?.decodeFrame(new Uint8Array(data));
      // Unrequested bytes are ignored.
      if (message !== undefined) this.#handleMessage(objectOf(message, 'a message'));
    } catch (error) {
      // After an unreadable message, later messages cannot be trusted either.
      this.#owner.onUnreadable?.(error);
      this.connection.restart();
    }
  }

  #handleMessage(message: Message): void {
    const { type } = message;
    if (this.#binary?.isRefusedBy(message)) this.connection.restart();
    else if (type === 'closing') {
      this.connection.setNextPause(Number(message['reconnectAfterMs']) || 0);
    } else if (type === 'error') {
      const code = text(message['code'], 'error.code');
      const shown = String(message['message']).slice(0, limits.TEXT_CHARS_MAX);
      this.#owner.onError(new ClientError(code, shown), message);
    } else this.#owner.onMessage(message);
  }
}

/** Codes of refusals that pass. */
const TRANSIENT = ['NOT_READY', 'RATE_LIMITED', 'INTERNAL', 'LIMIT_EXCEEDED'];

/**
 * Returns whether a refused subscription may be retried. A limit of the service passes when other
 * clients leave, except when this socket itself has too many subscriptions.
 */
export function isTransient({ code }: ClientError, subscriptionCount: number): boolean {
  if (code === 'LIMIT_EXCEEDED' && subscriptionCount > limits.SUBSCRIPTIONS_MAX) return false;
  return TRANSIENT.includes(code);
}

/**
 * Returns the address of a service's socket: `/ws` below the service's address. Throws
 * INVALID_OPTION.
 */
function serviceAddress({ url }: SocketOptions): string {
  const [, tls, rest = '', query = ''] =
    /^(?:http|ws)(s?):\/\/([^/?][^?]*?)\/*(\?.*)?$/.exec(url) ?? [];
  if (tls === undefined) {
    const message = `url was ${url}, must begin with http://, https://, ws:// or wss://`;
    throw new ClientError('INVALID_OPTION', message);
  }
  return `ws${tls}://${rest.endsWith('/ws') ? rest : `${rest}/ws`}${query}`;
}
