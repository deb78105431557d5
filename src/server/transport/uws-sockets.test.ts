/** Handlers that throw: a fault of one socket does not affect another. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Probe } from '../../../test/support/socket-scene.js';
import { LIMITS } from '../../config/limits.js';
import { systemTimers } from '../../rpc/timers.js';
import type { ClientSocket, CloseCause, SocketHandlers, SocketSession } from './client-socket.js';
import type { HttpRequest } from './reply.js';
import { type Listener, listen } from './uws.js';

/** Echoes, and throws at a chosen event. */
class Handlers implements SocketHandlers {
  readonly paths = ['/ws'];
  throwing = '';
  ip = '';
  dropped = 0;
  readonly causes: CloseCause[] = [];
  readonly sockets: ClientSocket[] = [];
  last: ClientSocket | undefined;

  checkUpgrade({ ip }: HttpRequest): null {
    this.ip = ip;
    this.failAt('upgrade');
    return null;
  }

  openSession(socket: ClientSocket): SocketSession {
    this.last = socket;
    this.sockets.push(socket);
    this.failAt('opened');
    return {
      onMessage: (text) => {
        this.failAt('message');
        socket.send(JSON.stringify({ text }));
      },
      onPing: () => this.failAt('pinged'),
      onDrain: () => {},
      onDropped: () => {
        this.dropped += 1;
      },
      onClose: (cause) => {
        this.causes.push(cause);
        this.failAt('closed');
      },
    };
  }

  private failAt(place: string): void {
    if (this.throwing === place) throw new Error(place);
  }
}

let handlers: Handlers;
let listener: Listener;
let faults: string[];
let url: string;

beforeEach(async () => {
  handlers = new Handlers();
  faults = [];
  listener = await listen({
    timers: systemTimers,
    host: '127.0.0.1',
    port: 0,
    handler: () => ({ status: 200, headers: [], body: 'HTTP' }),
    sockets: [handlers],
    onFault: (error, path) => faults.push(`${path} ${(error as Error).message}`),
  });
  url = `ws://127.0.0.1:${listener.port}/ws`;
});

afterEach(() => listener?.close());

/** Another client, opened before the fault, still gets its responses. */
async function expectOthersUnharmed(other: Probe): Promise<void> {
  handlers.throwing = '';
  other.send('hello');
  expect(await other.hear(1)).toEqual([{ text: 'hello' }]);
}

test('an upgrade that throws is answered with INTERNAL', async () => {
  const other = await Probe.open(url);
  handlers.throwing = 'upgrade';
  await expect(Probe.open(url)).rejects.toThrow('500');
  expect(faults).toEqual(['/ws upgrade']);
  await expectOthersUnharmed(other);
});

test.each(['opened', 'message', 'pinged'])(
  'a session that throws when %s is closed',
  async (place) => {
    const other = await Probe.open(url);
    handlers.throwing = place;
    const client = await Probe.open(url);
    if (place === 'message') client.send('hello');
    if (place === 'pinged') client.socket.ping();
    expect(await client.closed).toEqual({ code: 1011, reason: 'internal error' });
    expect(faults).toEqual([`/ws ${place}`]);
    await expectOthersUnharmed(other);
  },
);

test('a session that throws when it is closed ends nothing else', async () => {
  const other = await Probe.open(url);
  handlers.throwing = 'closed';
  const client = await Probe.open(url);
  client.socket.close();
  await client.closed;
  await expect.poll(() => faults).toEqual(['/ws closed']);
  await expectOthersUnharmed(other);
});

test('a socket that has closed is not touched any more', async () => {
  const client = await Probe.open(url);
  client.socket.close();
  await client.closed;
  const socket = handlers.last as ClientSocket;
  socket.send('late');
  socket.joinTopic('topic');
  socket.leaveTopic('topic');
  socket.close(1000, 'late');
  expect(socket.bufferedBytes()).toBe(0);
});

test('text, bytes and topics reach those who joined, in their order', async () => {
  const [first, second] = [await Probe.open(url), await Probe.open(url)];
  const socket = handlers.last as ClientSocket;
  listener.publish('topic', '"nobody has joined"');
  socket.joinTopic('topic');
  listener.publish('topic', Buffer.from('1'));
  socket.send(Buffer.from('2'));
  listener.publish('topic', '3');
  socket.send('4');
  socket.leaveTopic('topic');
  listener.publish('topic', '5');
  socket.send('6');
  expect(await second.hear(5)).toEqual([1, 2, 3, 4, 6]);
  expect(first.texts).toEqual([]);
});

// The assumptions of `ws-delivery.ts` about the transport.
test.each([
  ['small enough to be gathered', 10_000],
  ['large enough to be sent by itself', 20_000],
])('a full socket is told of, and gets nothing behind what was left out: %s', async (_, bytes) => {
  const client = await Probe.open(url);
  const socket = handlers.last as ClientSocket;
  const topics = Array.from({ length: 50 }, (__, at) => `topic ${at}`);
  for (const topic of topics) socket.joinTopic(topic);
  client.socket.pause();
  let published = 0;
  for (let turn = 0; handlers.dropped === 0; turn += 1) {
    if (turn === 1_000) throw new Error('the socket was never full');
    // More than the transport collects for a socket, so that it becomes full during the
    // publication.
    for (const topic of topics) {
      listener.publish(topic, JSON.stringify({ at: published, filler: 'x'.repeat(bytes) }));
      published += 1;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(socket.bufferedBytes()).toBeLessThan(LIMITS.socketBufferBytesMax + 2 * bytes);
  expect(socket.send('"left out"')).toBe(false);
  for (const topic of topics) socket.leaveTopic(topic);
  client.socket.resume();
  await expect.poll(() => socket.bufferedBytes()).toBe(0);
  expect(socket.send('"the end"')).toBe(true);
  await expect.poll(() => client.texts.at(-1)).toBe('"the end"');
  const heard = client.texts.slice(0, -1).map((text) => JSON.parse(text).at as number);
  expect(heard).toEqual(heard.map((__, at) => at));
  expect(heard.length).toBeLessThan(published);
});

test('a full socket is closed without a close frame, and the others are not harmed', async () => {
  const [client, other] = [await Probe.open(url), await Probe.open(url)];
  client.socket.pause();
  const [first] = handlers.sockets;
  if (first === undefined) throw new Error('no socket was opened');
  while (first.send(JSON.stringify('x'.repeat(100_000))));
  first.close(1013, 'too slow');
  client.socket.resume();
  expect((await client.closed).code).toBe(1006);
  await expectOthersUnharmed(other);
  expect(faults).toEqual([]);
});

test.each<[string, CloseCause, (client: Probe) => void]>([
  ['says goodbye', 'client', ({ socket }) => socket.close(1000)],
  ['leaves without a word', 'lost', ({ socket }) => socket.terminate()],
  [
    'sends a message that is too long',
    'tooLarge',
    (client) => client.send(' '.repeat(LIMITS.socketMessageBytesMax + 1)),
  ],
  [
    'sends what is no UTF-8',
    'notUtf8',
    ({ socket }) => socket.send(Buffer.from([0xff, 0xfe]), { binary: false }),
  ],
])('the end of a client that %s is called %s', async (_, cause, leave) => {
  const client = await Probe.open(url);
  leave(client);
  await client.closed;
  await expect.poll(() => handlers.causes).toEqual([cause]);
});

test('the longest message is read, and one of bytes is none', async () => {
  const client = await Probe.open(url);
  const longest = 'x'.repeat(LIMITS.socketMessageBytesMax);
  client.send(longest);
  client.socket.send(Buffer.from('"x"'), { binary: true });
  expect(await client.hear(2)).toEqual([{ text: longest }, { text: null }]);
});

test('the address of the client is known', async () => {
  await Probe.open(url);
  expect(handlers.ip).toBe('127.0.0.1');
  expect(handlers.last?.ip).toBe('127.0.0.1');
});
