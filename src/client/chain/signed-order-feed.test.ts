import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { encodeAddress } from '../base58.js';
import type { ClientError } from '../error.js';
import { SignedOrderFeed, type SignedOrderFeedOptions, type SignedOrderMessage } from './index.js';

/** Captured: see test/golden/vectors/client/swift_messages.json. */
const ORDER =
  'c8d5a65e2234f55d0001010080841e0000000000000000000000000002000000000000000001320124c6aa950000000001786b2f94000000000000bb64a9150000000074735730364f6d380000';
const NONCE = 'b1946ac92492d234';

const maker = generateKeyPairSync('ed25519');
const taker = generateKeyPairSync('ed25519');

/** The last 32 bytes of the public key's DER are the key itself. */
const address = (key: KeyObject): string => {
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return encodeAddress(new Uint8Array(der.subarray(-32)));
};

const signedBy = (key: KeyObject, text: string): string =>
  sign(null, Buffer.from(text), key).toString('base64');

function orderFrame(changes: object = {}, beside: object = {}): string {
  const order = {
    ...{ market_index: 2, market_type: 'perp', order_message: ORDER },
    order_signature: signedBy(taker.privateKey, ORDER),
    taker_authority: address(taker.privateKey),
    signing_authority: address(taker.privateKey),
    ...{ ts: 1_758_000_000_123, uuid: 'tsW06Om8', ...changes },
  };
  return JSON.stringify({ channel: 'swift_orders_perp_2', order, ...beside });
}

/** A server that challenges, as the original does, and keeps what it is sent. */
class OrderServer {
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

let server: OrderServer;
let feed: SignedOrderFeed | undefined;
let orders: SignedOrderMessage[];
let errors: ClientError[];

beforeEach(() => {
  server = new OrderServer();
  orders = [];
  errors = [];
});

afterEach(() => {
  feed?.close();
  server.close();
});

async function start(options: Partial<SignedOrderFeedOptions> = {}): Promise<void> {
  feed = new SignedOrderFeed({
    url: await server.url(),
    publicKey: address(maker.privateKey),
    sign: (challenge) => new Uint8Array(sign(null, challenge, maker.privateKey)),
    markets: ['SOL-PERP', 'BTC-PERP'],
    WebSocket: WebSocket as never,
    ...options,
  });
  feed.onOrder((order) => void orders.push(order));
  feed.onError((error) => void errors.push(error));
  feed.open();
}

const subscribed = () => vi.waitUntil(() => server.subscribed.length === 2, { timeout: 10_000 });
const told = (count: number) => vi.waitUntil(() => orders.length === count, { timeout: 10_000 });
const failed = (count: number) => vi.waitUntil(() => errors.length === count, { timeout: 10_000 });

describe('the feed of signed orders', () => {
  test('signs in with its key, and subscribes to one market after the other', async () => {
    await start();
    await subscribed();
    expect(server.asked).toEqual([`/ws?pubkey=${address(maker.privateKey)}`]);
    expect(server.subscribed).toEqual(['perp SOL-PERP', 'perp BTC-PERP']);
  });

  test('tells an order whose signature holds', async () => {
    await start();
    await subscribed();
    server.send(orderFrame());
    await told(1);
    expect(orders[0]).toMatchObject({
      order: { uuid: 'tsW06Om8', params: { marketIndex: 2, direction: 'short' } },
      takerAuthority: address(taker.privateKey),
      ...{ tsMs: 1_758_000_000_123, willSanitize: false, deposit: null },
    });
  });

  test('does not tell an order that somebody else has signed, and says so', async () => {
    await start();
    await subscribed();
    server.send(orderFrame({ order_signature: signedBy(maker.privateKey, ORDER) }));
    server.send(orderFrame({ order_signature: '*' }));
    server.send(orderFrame({ taker_authority: 'x', signing_authority: null }));
    // Signed, but by another wallet than the one it is told to be of, or under another id.
    server.send(orderFrame({ taker_authority: address(maker.privateKey) }));
    server.send(orderFrame({ uuid: 'another1' }));
    await failed(5);
    const codes = errors.map(({ code }) => code).sort();
    expect(codes).toEqual(['INVALID_KEY', ...Array(4).fill('INVALID_SIGNATURE')]);
    expect(orders).toEqual([]);
  });

  test('keeps back what was not asked for: sanitized orders, and those with a deposit', async () => {
    await start();
    await subscribed();
    server.send(orderFrame({ will_sanitize: true, ts: 1 }));
    server.send(orderFrame({ ts: 2 }, { deposit: 'AAAA' }));
    server.send(orderFrame());
    await told(1);
    expect(orders.map(({ tsMs }) => tsMs)).toEqual([1_758_000_000_123]);
  });

  test('tells those as well to who accepts them', async () => {
    await start({ acceptSanitized: true, acceptDepositTrade: true, verify: 'none' });
    await subscribed();
    server.send(orderFrame({ will_sanitize: true }));
    server.send(orderFrame({}, { deposit: 'AAAA' }));
    await told(2);
    expect(orders.map(({ deposit }) => deposit)).toEqual([null, 'AAAA']);
  });

  test('comes back after a cut and a clean close, signed in and with its markets', async () => {
    await start();
    await subscribed();
    server.sockets.at(-1)?.terminate();
    await vi.waitUntil(() => server.subscribed.length === 4, { timeout: 20_000 });
    server.sockets.at(-1)?.close(1000);
    await vi.waitUntil(() => server.subscribed.length === 6, { timeout: 20_000 });
    server.send(orderFrame());
    await told(1);
  }, 60_000);

  test('tells of a refusal, of unreadable messages and orders, and goes on', async () => {
    await start();
    await subscribed();
    server.send(JSON.stringify({ channel: 'swift_orders_perp_9', error: 'unknown market' }));
    server.send('{');
    server.send(orderFrame({ order_message: ORDER.slice(0, 40) }));
    server.send(orderFrame({ ts: 'soon' }));
    server.send(JSON.stringify({ channel: 'heartbeat', message: '1758000000123' }));
    server.send(orderFrame());
    await told(1);
    expect(errors.map(({ code }) => code)).toEqual([
      'REFUSED',
      'MALFORMED_ANSWER',
      'MALFORMED_MESSAGE',
      'MALFORMED_ANSWER',
    ]);
  });

  test('says that it was not let in, and that its own key could not sign', async () => {
    await start({ sign: () => new Uint8Array(64) });
    await failed(1);
    expect(errors[0]).toMatchObject({ code: 'UNAUTHORIZED', message: 'auth: wrong signature' });
    feed?.close();
    errors = [];
    await start({
      sign: () => {
        throw new Error('locked');
      },
    });
    await failed(1);
    expect(errors[0]).toMatchObject({ code: 'UNAUTHORIZED', cause: new Error('locked') });
  });

  test('does not answer a connection with what another has asked for', async () => {
    const signers: ((signature: Uint8Array) => void)[] = [];
    await start({ sign: () => new Promise((resolve) => void signers.push(resolve)) });
    await vi.waitUntil(() => signers.length === 1, { timeout: 10_000 });
    server.sockets.at(-1)?.terminate();
    await vi.waitUntil(() => signers.length === 2, { timeout: 20_000 });
    const right = new Uint8Array(sign(null, Buffer.from(NONCE), maker.privateKey));
    signers[0]?.(new Uint8Array(64));
    signers[1]?.(right);
    await subscribed();
    expect(errors).toEqual([]);
  }, 60_000);

  test('tells nothing any more once it is closed', async () => {
    await start();
    await subscribed();
    feed?.close();
    server.send(orderFrame());
    expect(feed?.state).toBe('idle');
    expect(orders).toEqual([]);
  });
});
