import { sign } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  addressOf,
  CAPTURED_ORDER,
  maker,
  NONCE,
  OrderServer,
  orderFrame,
  signedBy,
  taker,
} from '../../../test/support/order-server.js';
import { until } from '../../../test/support/until.js';
import type { ClientError } from '../error.js';
import { SignedOrderFeed, type SignedOrderFeedOptions, type SignedOrderMessage } from './index.js';

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
    publicKey: addressOf(maker.privateKey),
    sign: (challenge) => new Uint8Array(sign(null, challenge, maker.privateKey)),
    markets: ['SOL-PERP', 'BTC-PERP'],
    WebSocket: WebSocket as never,
    ...options,
  });
  feed.onOrder((order) => void orders.push(order));
  feed.onError((error) => void errors.push(error));
  feed.open();
}

const subscribed = () => until(() => server.subscribed.length >= 2);
const told = (count: number) => until(() => orders.length >= count);
const failed = (count: number) => until(() => errors.length >= count);

describe('the feed of signed orders', () => {
  test('signs in with its key, and subscribes to one market after the other', async () => {
    await start();
    await subscribed();
    expect(server.asked).toEqual([`/ws?pubkey=${addressOf(maker.privateKey)}`]);
    expect(server.subscribed).toEqual(['perp SOL-PERP', 'perp BTC-PERP']);
  });

  test('tells an order whose signature holds', async () => {
    await start();
    await subscribed();
    server.send(orderFrame());
    await told(1);
    expect(orders[0]).toMatchObject({
      order: { uuid: 'tsW06Om8', params: { marketIndex: 2, direction: 'short' } },
      takerAuthority: addressOf(taker.privateKey),
      ...{ tsMs: 1_758_000_000_123, willSanitize: false, deposit: null },
    });
  });

  test('does not tell an order that somebody else has signed, and says so', async () => {
    await start();
    await subscribed();
    server.send(orderFrame({ order_signature: signedBy(maker.privateKey, CAPTURED_ORDER) }));
    server.send(orderFrame({ order_signature: '*' }));
    server.send(orderFrame({ taker_authority: 'x', signing_authority: null }));
    // Signed, but by another wallet than the one it is told to be of, or under another id.
    server.send(orderFrame({ taker_authority: addressOf(maker.privateKey) }));
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
    await until(() => server.subscribed.length >= 4);
    server.sockets.at(-1)?.close(1000);
    await until(() => server.subscribed.length >= 6);
    server.send(orderFrame());
    await told(1);
  });

  test('tells of a refusal, of unreadable messages and orders, and goes on', async () => {
    await start();
    await subscribed();
    server.send(JSON.stringify({ channel: 'swift_orders_perp_9', error: 'unknown market' }));
    server.send('{');
    server.send(orderFrame({ order_message: CAPTURED_ORDER.slice(0, 40) }));
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
    await until(() => signers.length >= 1);
    server.sockets.at(-1)?.terminate();
    await until(() => signers.length >= 2);
    const right = new Uint8Array(sign(null, Buffer.from(NONCE), maker.privateKey));
    signers[0]?.(new Uint8Array(64));
    signers[1]?.(right);
    await subscribed();
    expect(errors).toEqual([]);
  });

  test('tells nothing any more once it is closed', async () => {
    await start();
    await subscribed();
    feed?.close();
    server.send(orderFrame());
    expect(feed?.state).toBe('idle');
    expect(orders).toEqual([]);
  });
});
