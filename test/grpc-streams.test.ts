/** Streams of real gRPC servers: large and compressed messages, missing pongs and tokens. `grpc.test.ts` has cuts. */
import { base58 } from '@scure/base';
import { afterEach, expect, test } from 'vitest';
import { GrpcStream } from '../src/rpc/grpc/grpc-stream.js';
import { encodeRequest, type StreamContent } from '../src/rpc/grpc/messages.js';
import { silentLog } from '../src/rpc/log.js';
import { systemTimers } from '../src/rpc/timers.js';
import { ScriptedGrpc } from './scripted-grpc.js';
import { encodeAccount } from './support/grpc-messages.js';
import { RawGrpc } from './support/raw-grpc.js';
import { until } from './support/until.js';

const KEYS = Array.from({ length: 2 }, (_, at) => base58.encode(Buffer.alloc(32, at + 1)));
const OWNER = base58.encode(Buffer.alloc(32, 99));

const ends: (() => unknown)[] = [];

afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

/** What one stream does that is not of a book. */
async function openStream(url: string, token?: string, silentMsMax = 600_000) {
  const contents: StreamContent[] = [];
  const events: string[] = [];
  const logged: string[] = [];
  const log = { ...silentLog, warn: (fields: object) => void logged.push(JSON.stringify(fields)) };
  const encode = (fromSlot: number | null): Buffer =>
    encodeRequest({ owner: OWNER, accounts: KEYS, fromSlot });
  const stream = new GrpcStream({
    timers: systemTimers,
    url,
    token,
    encodeRequest: encode,
    silentMsMax,
    log,
  });
  ends.push(() => stream.stop());
  stream.start({
    onOpened: () => events.push('opened'),
    onInterrupted: (reason) => events.push(`interrupted: ${reason}`),
    onResumed: () => events.push('resumed'),
    onClosed: (reason) => events.push(`closed: ${reason}`),
    onMalformed: () => events.push('malformed'),
    onContent: (content) => contents.push(content),
  });
  return { stream, contents, events, logged };
}

function accountOf(bytes: Buffer): Buffer {
  return encodeAccount({ pubkey: KEYS[0] ?? '', owner: OWNER, slot: 7, version: 1, bytes });
}

test('grpc: what is compressed is read, and what is beyond the limit when it is not any more ends the stream', async () => {
  const server = await RawGrpc.start();
  ends.push(() => server.stop());
  const { contents, events, logged } = await openStream(`http://127.0.0.1:${server.port}`);
  await until('the request', () => server.requests > 0);
  const account = Buffer.alloc(100_000, 'an account');
  server.notifyBytes(accountOf(account));
  await until('the account', () => contents.length === 1);
  expect(contents[0]).toMatchObject({ kind: 'account', slot: 7, data: account });
  // 64 MB of zeros, which are 64 kB on their way.
  server.notifyBytes(accountOf(Buffer.alloc(64 * 1_024 * 1_024)));
  await until('the end', () =>
    events.some((event) => /^closed: .*: RESOURCE_EXHAUSTED$/.test(event)),
  );
  expect(logged.join()).toContain('larger than');
  expect(contents.length).toBe(1);
}, 120_000);

test('grpc: 64 MB in one message are refused by their length, and are not asked for again', async () => {
  const server = await ScriptedGrpc.start(null);
  ends.push(() => server.stop());
  const { contents, events, logged } = await openStream(server.url);
  await until(() => server.readerCount === 1);
  for (let slot = 160; slot <= 200; slot += 1) server.tellSlot(slot, 'begun');
  await until('the slots', () => contents.length === 41);
  server.tellAccount({
    pubkey: KEYS[0] ?? '',
    owner: OWNER,
    slot: 200,
    bytes: Buffer.alloc(2 ** 26),
  });
  await until('the end', () =>
    events.some((event) => /^closed: .*: RESOURCE_EXHAUSTED$/.test(event)),
  );
  expect(logged.join()).toContain('larger than');
  await until('a stream from now on', () => events.at(-1) === 'opened');
  server.tellAccount({ pubkey: KEYS[1] ?? '', owner: OWNER, slot: 201, bytes: Buffer.alloc(9) });
  await until('what comes next', () => contents.at(-1)?.slot === 201);
  expect(server.fromSlots).toEqual([]);
}, 120_000);

test('grpc: a server that does not replay is not taken for one that does by a final slot', async () => {
  const server = await ScriptedGrpc.start(null);
  ends.push(() => server.stop());
  const { contents, events } = await openStream(server.url);
  await until(() => server.readerCount === 1);
  for (let slot = 160; slot <= 200; slot += 1) server.tellSlot(slot, 'begun');
  await until('the slots', () => contents.length === 41);
  server.replays = false;
  server.cutStreams();
  await until('a stream again', () => server.fromSlots.length === 1 && server.readerCount === 1);
  server.tellSlot(160, 'finalized');
  server.tellSlot(300, 'begun');
  await until('its end', () =>
    events.some((event) => event.startsWith('closed: the server replayed from slot 300')),
  );
  expect(events).not.toContain('resumed');
}, 120_000);

test('grpc: a server that notifies and has no pongs is left, and nobody waits for it', async () => {
  const server = await ScriptedGrpc.start(null);
  ends.push(() => server.stop());
  server.hasPongs = false;
  const { stream, events } = await openStream(server.url, undefined, 1_000);
  let slot = 100;
  const notify = setInterval(() => {
    slot += 1;
    server.tellSlot(slot, 'begun');
  }, 100);
  ends.push(() => clearInterval(notify));
  await until('a stream', () => events.includes('opened'));
  await stream.renewRequest();
  await until('its end', () => events.some((event) => /no pong for \d+ ms$/.test(event)));
}, 120_000);

test('grpc: what a server says of a token is in the log alone, once', async () => {
  const server = await ScriptedGrpc.start(null);
  ends.push(() => server.stop());
  server.token = 'the-right-token';
  const refused = await openStream(server.url, 'a-wrong-token');
  await until('a refusal', () => refused.events.length > 0);
  await until('another refusal', () => refused.events.length > 1);
  expect(new Set(refused.events)).toEqual(new Set(['closed: the stream failed: UNAUTHENTICATED']));
  expect(refused.logged).toEqual([expect.stringContaining('no valid auth token: a-wrong-token')]);
  const taken = await openStream(server.url, 'the-right-token');
  await until('a stream', () => taken.events[0] === 'opened');
}, 120_000);
