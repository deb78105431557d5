import { get } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  challenged,
  makerKey,
  makerProbe,
  quotesOf,
  signed,
} from '../../../test/support/maker-client.js';
import { Probe } from '../../../test/support/socket-scene.js';
import { until } from '../../../test/support/until.js';
import { LIMITS } from '../../config/limits.js';
import type { IndicativeOutcome } from '../../contract/indicative.js';
import { systemTimers } from '../../rpc/timers.js';
import { ClientAddresses } from '../admission/client-addresses.js';
import { FakeBook } from '../testing/running-server.js';
import { type Listener, listen } from '../transport/uws.js';
import { QuoteServer, type QuoteServerOptions } from './quote-server.js';

const maker = makerKey(1);
const other = makerKey(2);
const stranger = makerKey(3);
const key = (keypair: typeof maker): string => keypair.publicKey.toBase58();

let server: QuoteServer;
let listener: Listener;
let url: string;
let sent: { maker: string; market: number; count: number }[];
let outcome: IndicativeOutcome;
let faults: unknown[];
let everLive: boolean;

async function start(options: Partial<QuoteServerOptions> = {}): Promise<void> {
  const onFault = (error: unknown): void => void faults.push(error);
  server = new QuoteServer({
    timers: systemTimers,
    directory: new FakeBook(),
    sink: {
      setQuotes: ({ maker, market, quotes }) => {
        sent.push({ maker, market, count: quotes.length });
        return outcome;
      },
    },
    quoteMakers: [key(maker), key(other)],
    readiness: () => ({ everLive, state: 'live', reason: null, slot: 1 }),
    onFault,
    ...options,
  });
  const handler = () => ({ status: 404, headers: [], body: '{}' });
  const { addresses } = options;
  listener = await listen({
    timers: systemTimers,
    ...(addresses && { findClient: (origin) => addresses.findClient(origin) }),
    ...{ host: '127.0.0.1', port: 0, handler, sockets: [server], onFault },
  });
  server.start();
  url = `ws://127.0.0.1:${listener.port}/quotes/ws`;
}

beforeEach(() => {
  sent = [];
  faults = [];
  outcome = 'changed';
  everLive = true;
});

afterEach(() => {
  server?.close();
  listener?.close();
  expect(faults).toEqual([]);
});

const unauthorized = { channel: 'auth', type: 'error', code: 'UNAUTHORIZED' };

describe('quotes: who may quote', () => {
  test('a maker on the list signs the nonce and is authenticated', async () => {
    await start();
    const probe = await makerProbe(url, maker);
    expect(await probe.hear(2)).toEqual([
      { channel: 'auth', nonce: expect.stringMatching(/^slotbook quotes [0-9a-f]{64}$/) },
      { channel: 'auth', message: 'Authenticated' },
    ]);
    expect(server.readStats()).toMatchObject({ sockets: 1, makers: 1 });
    await probe.close();
    await until(() => server.readStats().sockets === 0);
    expect(server.readStats()).toMatchObject({ makers: 0, closes: { lost: 1 } });
  });

  test('no two nonces are the same', async () => {
    await start();
    const nonces = await Promise.all(
      [1, 2, 3].map(async () => (await challenged(url, maker)).nonce),
    );
    expect(new Set(nonces).size).toBe(3);
  });

  test('a key that is not on the list is told so and closed', async () => {
    await start();
    const probe = await Probe.open(`${url}?pubkey=${key(stranger)}`);
    expect(await probe.closed).toEqual({ code: 1008, reason: 'unauthorized' });
    expect(await probe.hear(1)).toMatchObject([unauthorized]);
    expect(server.readStats()).toMatchObject({ sockets: 0, closes: { unauthorized: 1 } });
  });

  test('without a list, and in a replay, the path is closed to everybody', async () => {
    for (const closed of [{ quoteMakers: [] }, { sink: undefined }]) {
      await start(closed);
      const probe = await Probe.open(`${url}?pubkey=${key(maker)}`);
      expect((await probe.closed).code).toBe(1008);
      expect(await probe.hear(1)).toMatchObject([unauthorized]);
      listener.close();
    }
  });

  test.each([
    [
      'of another key',
      (nonce: string) => ({ pubkey: key(maker), signature: signed(other, nonce) }),
    ],
    ['of another text', () => ({ pubkey: key(maker), signature: signed(maker, 'another') })],
    [
      'with another key',
      (nonce: string) => ({ pubkey: key(other), signature: signed(other, nonce) }),
    ],
    ['without a key', (nonce: string) => ({ signature: signed(maker, nonce) })],
    [
      'that is cut',
      (nonce: string) => ({ pubkey: key(maker), signature: signed(maker, nonce).slice(4) }),
    ],
    ['that is no base64', () => ({ pubkey: key(maker), signature: '!'.repeat(88) })],
    ['of zeros', () => ({ pubkey: key(maker), signature: `${'A'.repeat(86)}==` })],
    ['that is a number', () => ({ pubkey: key(maker), signature: 5 })],
    ['that is null', () => ({ pubkey: key(maker), signature: null })],
    ['that is missing', () => ({ pubkey: key(maker) })],
    ['and a list of keys', () => ({ pubkey: [key(maker)], signature: '' })],
    ['but a quote', () => quotesOf(0, { bid: [1, 1] })],
    ['but a ping', () => ({ type: 'ping', id: 1 })],
    ['but no JSON', () => 'signature'],
    ['but a list', () => '[]'],
    ['but nothing', () => ''],
  ])('an answer %s is UNAUTHORIZED, and the end', async (_, answer) => {
    await start();
    const { probe, nonce } = await challenged(url, maker);
    probe.send(answer(nonce));
    expect((await probe.closed).code).toBe(1008);
    expect((await probe.hear(2))[1]).toMatchObject(unauthorized);
    expect(sent).toEqual([]);
  });

  test('a socket that does not sign in time is closed', async () => {
    await start({ signMsMax: 30 });
    const { probe } = await challenged(url, maker);
    expect((await probe.closed).code).toBe(1008);
    expect((await probe.hear(2))[1]).toMatchObject(unauthorized);
  });

  test.each([
    ['', 'MISSING_PARAM'],
    ['?pubkey=', 'INVALID_PARAM'],
    ['?pubkey=abc', 'INVALID_PARAM'],
    [`?pubkey=${'1'.repeat(45)}`, 'INVALID_PARAM'],
    ['?pubkey=%zz', 'INVALID_PARAM'],
    [`?pubkey=${'0'.repeat(44)}`, 'INVALID_PARAM'],
    ['?pubkey=a&pubkey=b', 'INVALID_PARAM'],
  ])('the upgrade with "%s" is refused with %s', async (query, code) => {
    await start();
    const answer = await upgradeAnswer(`${url.replace('ws:', 'http:')}${query}`);
    expect(answer).toMatchObject({ status: 400, error: { code, param: 'pubkey' } });
    expect(server.readStats()).toMatchObject({ refused: { [code]: 1 }, sockets: 0 });
  });
});

describe('quotes: sockets that have not signed', () => {
  const { quoteUnsignedPerKeyMax: PER_KEY, quoteUnsignedPerAddressMax: PER_ADDRESS } = LIMITS;
  // No timeout on a slow machine.
  const patient = { signMsMax: 600_000 };
  const addresses = new ClientAddresses(['127.0.0.1']);
  const behindProxy = () => start({ ...patient, addresses });
  const from = (visitor: string) => ({ headers: { 'X-Forwarded-For': visitor } });
  const [STRANGER, HOME] = ['203.0.113.66', '203.0.113.1'] as const;

  test('do not lock out the maker whose key they name, however many they are', async () => {
    await start(patient);
    for (let count = 0; count < 520; count += 1) await challenged(url, maker);
    const { sockets, closes } = server.readStats();
    expect({ sockets, closes }).toEqual({
      sockets: LIMITS.quoteUnsignedMax,
      closes: { crowdedOut: 520 - LIMITS.quoteUnsignedMax },
    });
    const probe = await makerProbe(url, maker);
    expect(await probe.ask(quotesOf(0, { bid: [1, 1] }))).toEqual([]);
    expect(server.readStats().makers).toBe(1);
  });

  test('give way to newer ones, the oldest first, and say so', async () => {
    await start({ ...patient, unsignedMax: 2 });
    const signedProbe = await makerProbe(url, maker);
    const [oldest] = [await challenged(url, maker), await challenged(url, other)];
    await challenged(url, other);
    expect(await oldest?.probe.closed).toEqual({ code: 1013, reason: 'crowdedOut' });
    expect((await oldest?.probe.hear(2))?.[1]).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(await signedProbe.ask(quotesOf(0))).toEqual([]);
    expect(server.readStats()).toMatchObject({ sockets: 3, makers: 1, closes: { crowdedOut: 1 } });
  });

  test('are few of a key from one address, which do not count for another address', async () => {
    await behindProxy();
    const strangers = [];
    for (let count = 0; count < PER_KEY; count += 1) {
      strangers.push(await challenged(url, maker, from(STRANGER)));
    }
    await expect(challenged(url, maker, from(STRANGER))).rejects.toThrow('429');
    await challenged(url, other, from(STRANGER));
    await (await makerProbe(url, maker, from(HOME))).close();
    await strangers[0]?.probe.close();
    await until(() => server.readStats().sockets === PER_KEY);
    const late = await makerProbe(url, maker, from(STRANGER));
    expect(server.readStats()).toMatchObject({ makers: 1, refused: { RATE_LIMITED: 1 } });
    // It has signed, so it no longer counts as unsigned.
    await challenged(url, maker, from(STRANGER));
    await late.close();
  });

  test('are few of one address, whatever keys they name', async () => {
    const keys = Array.from({ length: PER_ADDRESS + 1 }, (_, at) => makerKey(at + 1));
    await start({ ...patient, addresses, quoteMakers: keys.map(key) });
    for (const one of keys.slice(1)) await challenged(url, one, from(STRANGER));
    await expect(challenged(url, maker, from(STRANGER))).rejects.toThrow('429');
    await (await makerProbe(url, maker, from(HOME))).close();
  });

  test('of keys that are not on the list take no room', async () => {
    await behindProxy();
    for (let count = 0; count < PER_ADDRESS + 1; count += 1) {
      const probe = await Probe.open(`${url}?pubkey=${key(stranger)}`, from(STRANGER));
      await probe.closed;
    }
    await (await makerProbe(url, maker, from(STRANGER))).close();
  });
});

describe('quotes: one connection a maker', () => {
  test('the newer one stays once it has signed, and the quotes stay with it', async () => {
    await start();
    const first = await makerProbe(url, maker);
    first.send({ ...quotesOf(0, { bid: [1, 1] }), id: 1 });
    await first.hear(3);
    const { probe: second, nonce } = await challenged(url, maker);
    expect(server.readStats()).toMatchObject({ sockets: 2, makers: 1, closes: {} });
    second.send({ pubkey: key(maker), signature: signed(maker, nonce) });
    expect(await first.closed).toEqual({ code: 1008, reason: 'replaced' });
    expect((await first.hear(4))[3]).toMatchObject({ type: 'error', code: 'LIMIT_EXCEEDED' });
    await second.hear(2);
    expect(server.readStats()).toMatchObject({ sockets: 1, makers: 1, closes: { replaced: 1 } });
    expect(sent).toHaveLength(1);
  });

  test('who only knows the key does not end the connection of its maker', async () => {
    await start();
    const first = await makerProbe(url, maker);
    const { probe: thief, nonce } = await challenged(url, maker);
    thief.send({ pubkey: key(maker), signature: signed(stranger, nonce) });
    await thief.closed;
    expect(await first.ask(quotesOf(0))).toEqual([]);
    expect(server.readStats().makers).toBe(1);
  });

  test('two makers quote side by side', async () => {
    await start();
    const probes = [await makerProbe(url, maker), await makerProbe(url, other)];
    for (const probe of probes) expect(await probe.ask(quotesOf(0, { bid: [1, 1] }))).toEqual([]);
    expect(sent.map(({ maker }) => maker)).toEqual([key(maker), key(other)]);
  });
});

describe('quotes: what is sent', () => {
  test('reaches the book by its market, and is acknowledged where it has an id', async () => {
    await start();
    const probe = await makerProbe(url, maker);
    expect(await probe.ask(quotesOf(0, { bid: [1, 1] }, { ask: [2, 2] }))).toEqual([]);
    const withId = { ...quotesOf(1, { bid: [1, 1] }), market_type: 'SPOT', id: 'a' };
    expect(await probe.ask(withId)).toEqual([{ channel: 'quotes', type: 'quoted', id: 'a' }]);
    expect(sent).toEqual([
      { maker: key(maker), market: 0, count: 2 },
      {
        maker: key(maker),
        market: new FakeBook().markets().find((row) => row.marketType === 'spot')?.id,
        count: 1,
      },
    ]);
    expect(server.readStats()).toMatchObject({ changed: 2, unchanged: 0, errors: {} });
  });

  test.each([
    ['unknownMarket', 'UNKNOWN_MARKET'],
    ['makersExceeded', 'LIMIT_EXCEEDED'],
    ['quotesExceeded', 'OUT_OF_RANGE'],
    ['priceOutOfRange', 'OUT_OF_RANGE'],
    ['sizeOutOfRange', 'OUT_OF_RANGE'],
    ['invalidMaker', 'UNAUTHORIZED'],
  ] as const)(
    'what the book refuses as %s is %s, and the socket goes on',
    async (refused, code) => {
      await start();
      outcome = refused;
      const probe = await makerProbe(url, maker);
      const errors = await probe.ask({ ...quotesOf(0, { bid: [1, 1] }), id: 9 });
      expect(errors).toMatchObject([{ channel: 'quotes', type: 'error', code, id: 9 }]);
      outcome = 'unchanged';
      expect(await probe.ask(quotesOf(0, { bid: [1, 1] }))).toEqual([]);
      expect(server.readStats()).toMatchObject({ unchanged: 1, errors: { [code]: 1 } });
    },
  );

  test('before the first book NOT_READY is answered', async () => {
    await start();
    everLive = false;
    const probe = await makerProbe(url, maker);
    expect(await probe.ask(quotesOf(0))).toMatchObject([{ code: 'NOT_READY' }]);
  });

  test('the quotes of a socket that closes are withdrawn at once', async () => {
    await start();
    const probe = await makerProbe(url, maker);
    await probe.ask(quotesOf(0, { bid: [1, 1] }));
    // What was not withdrawn is withdrawn again.
    outcome = 'unknownMarket';
    expect(await probe.ask(quotesOf(0))).toMatchObject([{ type: 'error' }]);
    sent = [];
    await probe.close();
    await until(() => sent.length > 0);
    expect(sent).toEqual([{ maker: key(maker), market: 0, count: 0 }]);
  });

  test('a beat comes without being asked for', async () => {
    await start();
    const probe = await makerProbe(url, maker);
    await until('two beats', () => probe.heartbeats.length > 1);
  });

  test('more messages a second than allowed are refused, and then the end', async () => {
    await start({ messagesPerSecond: 5 });
    const probe = await makerProbe(url, maker);
    for (let count = 0; count < 10; count += 1) probe.send(quotesOf(0));
    await until(() => (server.readStats().errors['RATE_LIMITED'] ?? 0) >= 5);
    for (let count = 0; count < 20; count += 1) probe.send(quotesOf(0));
    expect((await probe.closed).code).toBe(1008);
    expect(server.readStats().closes).toEqual({ rateLimited: 1 });
  });

  test('a message of 16 KiB is read, and a longer one is the end', async () => {
    await start();
    const probe = await makerProbe(url, maker);
    expect(await probe.ask(' '.repeat(16_384))).toMatchObject([{ code: 'MALFORMED_MESSAGE' }]);
    probe.send(' '.repeat(16_385));
    expect((await probe.closed).code).toBe(1006);
    await until(() => server.readStats().closes.tooLarge === 1);
  });

  test('a stopping service says when to come again', async () => {
    await start();
    const probe = await makerProbe(url, maker);
    server.close();
    expect((await probe.closed).code).toBe(1006);
    const [, , closing] = (await probe.hear(3)) as { reconnectAfterMs: number }[];
    expect(closing).toMatchObject({ type: 'closing' });
    expect(closing?.reconnectAfterMs).toBeGreaterThanOrEqual(500);
    expect(server.readStats()).toMatchObject({ sockets: 0, closes: { shutdown: 1 } });
  });
});

/** The response to a rejected upgrade. */
function upgradeAnswer(address: string): Promise<object> {
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': Buffer.alloc(16).toString('base64'),
  };
  return new Promise((resolve, reject) => {
    const request = get(address, { headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode, ...JSON.parse(text) }));
    });
    request.on('error', reject);
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new Error('was upgraded'));
    });
  });
}
