/** Clients that do not read their responses: their cost, and the responses of other clients meanwhile. */
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { until } from '../../../test/support/until.js';
import { LIMITS } from '../../config/limits.js';
import type { L2Request } from '../../contract/book-requests.js';
import { systemTimers } from '../../rpc/timers.js';
import { ClientAddresses } from '../admission/client-addresses.js';
import { FakeBook, type RunningServer, startServer } from '../testing/running-server.js';
import { type BodyWriter, type UnsentLimits, UnsentReplies } from './unsent-replies.js';

const MEGABYTE = 1024 * 1024;
/** More than the system's own buffers of a connection take. */
const BODY_BYTES = 16 * MEGABYTE;
const PATH = '/l2?marketName=SOL-PERP';
const REQUEST = `GET ${PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;

/** A book that overwrites its previous body, like the engine. */
class OverwritingBook extends FakeBook {
  readonly #body = Buffer.alloc(BODY_BYTES);
  bodyBytes = BODY_BYTES;

  override l2(_: L2Request): Uint8Array {
    return this.#body.fill(String(this.current.seq % 10)).subarray(0, this.bodyBytes);
  }

  nextVersion(): void {
    this.current = { ...this.current, seq: this.current.seq + 1 };
  }
}

let server: RunningServer;
let unsent: UnsentReplies;
let book: OverwritingBook;
const clients: Socket[] = [];

async function start(limits: Partial<UnsentLimits> = {}): Promise<void> {
  unsent = new UnsentReplies(systemTimers, { ...LIMITS, ...limits });
  book = new OverwritingBook();
  server = await startServer(book, { unsent, addresses: new ClientAddresses(['127.0.0.3']) });
}

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server.close();
});

/** A client that sends a request, and reads nothing. */
async function askUnread(request = REQUEST, localAddress = '127.0.0.1'): Promise<Socket> {
  const port = Number(new URL(server.url).port);
  const client = createConnection({ host: '127.0.0.1', port, localAddress });
  clients.push(client.on('error', () => {}));
  await once(client, 'connect');
  client.pause();
  client.write(request);
  return client;
}

const waiting = (bytes: number) => until(() => unsent.bytes === bytes);

test('200 clients that do not read cost one copy of their answer, and give it back', async () => {
  await start();
  await askUnread();
  await waiting(BODY_BYTES);
  const before = process.memoryUsage().rss;
  await Promise.all(Array.from({ length: 199 }, () => askUnread()));
  // Later requests are answered, and by then all earlier ones have been.
  expect((await fetch(server.url + PATH)).status).toBe(200);
  expect(unsent.bytes).toBe(BODY_BYTES);
  expect((process.memoryUsage().rss - before) / MEGABYTE).toBeLessThan(100);
  for (const client of clients) client.destroy();
  await waiting(0);
});

/** The ways in which two clients ask: by addresses of their own, and through a proxy. */
const WAYS = {
  'by themselves': (client: number, request: string) =>
    askUnread(request, client === 1 ? '127.0.0.1' : '127.0.0.2'),
  'through a proxy': (client: number, request: string) =>
    askUnread(request.replace('\r\n\r\n', `\r\nX-Forwarded-For: 10.0.0.${client}$&`), '127.0.0.3'),
};

test.each(Object.entries(WAYS))(
  'of clients %s who has the most loses the oldest answer, and others get theirs',
  async (_, ask) => {
    await start({ unsentBytesMax: 2 * BODY_BYTES });
    const other = await ask(2, REQUEST);
    await waiting(BODY_BYTES);
    book.nextVersion();
    const first = await ask(1, REQUEST);
    const second = await ask(1, `HEAD ${REQUEST.slice(4)}`);
    await waiting(2 * BODY_BYTES);
    book.nextVersion();
    const last = await ask(1, REQUEST);
    const cut = once(first.resume(), 'close');
    await cut;
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain(`slotbook_http_unsent_bytes ${2 * BODY_BYTES}\n`);
    for (const client of [other, second, last]) client.resume();
    await waiting(0);
  },
);

test('a slow reader gets every byte of the version that it asked for', async () => {
  await start();
  const client = await askUnread();
  await waiting(BODY_BYTES);
  const wanted = String(book.current.seq % 10);
  book.nextVersion();
  expect((await (await fetch(server.url + PATH)).text()).at(-1)).not.toBe(wanted);
  client.resume();
  const parts: Buffer[] = [];
  client.on('data', (part: Buffer) => parts.push(part));
  await waiting(0);
  const body = () => {
    const text = Buffer.concat(parts).toString('latin1');
    return text.slice(text.indexOf('\r\n\r\n') + 4);
  };
  await until(() => body().length >= BODY_BYTES);
  expect(body() === wanted.repeat(BODY_BYTES)).toBe(true);
  // The connection continues.
  parts.length = 0;
  client.write(REQUEST.replace(PATH, '/health'));
  await until(() => body() === '{"status":"ok"}');
});

test('a compressed answer that is not read waits as it is kept, without a copy', async () => {
  await start();
  const seeds = Array.from({ length: BODY_BYTES / 8 }, (_, index) => Math.imul(index, 2654435761));
  book.l2 = () => Buffer.from(new Float64Array(seeds).buffer);
  const zipped = REQUEST.replace('\r\n\r\n', '\r\nAccept-Encoding: gzip\r\n\r\n');
  await askUnread(zipped);
  await until(() => unsent.bytes > 0);
  const { bytes } = unsent;
  await Promise.all(Array.from({ length: 10 }, () => askUnread(zipped)));
  await fetch(`${server.url}/health`);
  expect(unsent.bytes).toBe(bytes);
});

test('an answer that may not wait is cut while it is sent, at once and later', async () => {
  await start({ unsentBytesMax: BODY_BYTES / 4 });
  const seeds = Array.from({ length: BODY_BYTES / 8 }, (_, index) => Math.imul(index, 2654435761));
  book.l2 = () => Buffer.from(new Float64Array(seeds).buffer);
  for (const coding of ['identity', 'gzip']) {
    const request = REQUEST.replace('\r\n\r\n', `\r\nAccept-Encoding: ${coding}$&`);
    const client = await askUnread(request);
    const closed = once(client.resume(), 'close');
    await closed;
    expect([client.bytesRead < BODY_BYTES / 2, unsent.bytes]).toEqual([true, 0]);
  }
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
});

test('a client that takes too long for its answer is cut off', async () => {
  await start({ unsentMsMax: 300 });
  const client = await askUnread();
  await waiting(BODY_BYTES);
  // It reads occasionally, so the transport does not count it as idle.
  const reading = setInterval(() => client.read(1), 20);
  const closed = once(client, 'close');
  await waiting(0);
  client.resume();
  await closed;
  clearInterval(reading);
});

test('requests behind an answer that is not read are not answered into memory', async () => {
  await start();
  const client = await askUnread(REQUEST.repeat(100));
  const closed = once(client, 'close');
  client.resume();
  await closed;
  await waiting(0);
  expect(client.bytesRead).toBeLessThan(BODY_BYTES);
});

/** A response of a client that reads nothing. */
class StuckResponse implements BodyWriter {
  isClosed = false;
  #abort: () => void = () => {};

  tryEnd(): [boolean, boolean] {
    return [false, false];
  }

  onWritable(): void {}

  onAborted(abort: () => void): void {
    this.#abort = abort;
  }

  close(): void {
    this.isClosed = true;
    this.#abort();
  }
}

test('an answer that many of an address wait for counts once, for all of them', () => {
  const timers = { ...systemTimers, after: () => ({ cancel: () => {} }) };
  const replies = new UnsentReplies(timers, { unsentBytesMax: 100, unsentMsMax: 1 });
  const shared = Buffer.alloc(40);
  const sent = (ip: string, body: Buffer): StuckResponse => {
    const response = new StuckResponse();
    replies.sendBody(response, { body, identity: body, client: { ip } });
    return response;
  };
  const many = [1, 2, 3].map(() => sent('1.1.1.1', shared));
  const greedy = [sent('2.2.2.2', Buffer.alloc(30)), sent('2.2.2.2', Buffer.alloc(31))];
  expect([...greedy, ...many].map(({ isClosed }) => isClosed)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
  expect(replies.bytes).toBe(71);
});
