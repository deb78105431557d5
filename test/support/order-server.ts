/** A server of signed orders on loopback, and orders that hold. */
import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { encodeAddress } from '../../src/client/base58.js';

/** Captured: see test/golden/vectors/client/swift_messages.json. */
export const CAPTURED_ORDER =
  'c8d5a65e2234f55d0001010080841e0000000000000000000000000002000000000000000001320124c6aa950000000001786b2f94000000000000bb64a9150000000074735730364f6d380000';
export const NONCE = 'b1946ac92492d234';

export const maker = generateKeyPairSync('ed25519');
export const taker = generateKeyPairSync('ed25519');

/** The last 32 bytes of the public key's DER are the key itself. */
export const addressOf = (key: KeyObject): string => {
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return encodeAddress(new Uint8Array(der.subarray(-32)));
};

export const signedBy = (key: KeyObject, text: string): string =>
  sign(null, Buffer.from(text), key).toString('base64');

export function orderFrame(changes: object = {}, beside: object = {}): string {
  const order = {
    ...{ market_index: 2, market_type: 'perp', order_message: CAPTURED_ORDER },
    order_signature: signedBy(taker.privateKey, CAPTURED_ORDER),
    taker_authority: addressOf(taker.privateKey),
    signing_authority: addressOf(taker.privateKey),
    ...{ ts: 1_758_000_000_123, uuid: 'tsW06Om8', ...changes },
  };
  return JSON.stringify({ channel: 'swift_orders_perp_2', order, ...beside });
}

/** A server that sends challenges like the original, and records its requests. */
export class OrderServer {
  readonly #server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  readonly sockets: WebSocket[] = [];
  readonly subscribed: string[] = [];
  readonly asked: string[] = [];

  constructor() {
    this.#server.on('connection', (socket, { url = '' }) => {
      this.sockets.push(socket);
      this.asked.push(url);
      socket.send(JSON.stringify({ channel: 'auth', nonce: NONCE }));
      socket.on('message', (data) => this.#take(socket, JSON.parse(String(data))));
    });
  }

  async url(): Promise<string> {
    if (this.#server.address() === null) await once(this.#server, 'listening');
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/ws`;
  }

  send(text: string): void {
    this.sockets.at(-1)?.send(text);
  }

  close(): void {
    for (const socket of this.sockets) socket.terminate();
    this.#server.close();
  }

  #take(socket: WebSocket, message: Record<string, string>): void {
    if (message['action'] === 'subscribe') {
      this.subscribed.push(`${message['market_type']} ${message['market_name']}`);
      return;
    }
    const signature = Buffer.from(message['signature'] ?? '', 'base64');
    const isMaker = verify(null, Buffer.from(NONCE), maker.publicKey, signature);
    const answer = isMaker ? { message: 'Authenticated' } : { error: 'wrong signature' };
    socket.send(JSON.stringify({ channel: 'auth', ...answer }));
  }
}
