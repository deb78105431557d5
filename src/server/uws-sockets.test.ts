/** What the transport does with handlers that throw: a fault of one socket is of no other. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Probe } from '../../test/support/socket-scene.js';
import { type HttpRequest, type Listener, listen } from './uws.js';
import type { ClientSocket, SocketHandlers, SocketSession } from './ws-socket.js';

/** Echoes, and throws where it is told to. */
class Handlers implements SocketHandlers {
  readonly paths = ['/ws'];
  throwing = '';
  ip = '';
  last: ClientSocket | undefined;

  upgrade({ ip }: HttpRequest): null {
    this.ip = ip;
    this.failAt('upgrade');
    return null;
  }

  opened(socket: ClientSocket): SocketSession {
    this.last = socket;
    this.failAt('opened');
    return {
      message: (text) => {
        this.failAt('message');
        socket.send(JSON.stringify({ text }));
      },
      pinged: () => this.failAt('pinged'),
      drained: () => {},
      dropped: () => {},
      closed: () => this.failAt('closed'),
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
    host: '127.0.0.1',
    port: 0,
    handler: () => ({ status: 200, headers: [], body: 'HTTP' }),
    sockets: handlers,
    onFault: (error, path) => faults.push(`${path} ${(error as Error).message}`),
  });
  url = `ws://127.0.0.1:${listener.port}/ws`;
});

afterEach(() => listener?.close());

/** Another client, opened before the trouble, still gets its answers. */
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
  socket.join('topic');
  socket.leave('topic');
  socket.close(1000, 'late');
  expect(socket.bufferedBytes()).toBe(0);
});

test('text, bytes and topics reach those who joined, in their order', async () => {
  const [first, second] = [await Probe.open(url), await Probe.open(url)];
  const socket = handlers.last as ClientSocket;
  listener.publish('topic', '"nobody has joined"');
  socket.join('topic');
  listener.publish('topic', Buffer.from('1'));
  socket.send(Buffer.from('2'));
  listener.publish('topic', '3');
  socket.send('4');
  socket.leave('topic');
  listener.publish('topic', '5');
  socket.send('6');
  expect(await second.hear(5)).toEqual([1, 2, 3, 4, 6]);
  expect(first.texts).toEqual([]);
});

test('the address of the client is known', async () => {
  await Probe.open(url);
  expect(handlers.ip).toBe('127.0.0.1');
  expect(handlers.last?.ip).toBe('127.0.0.1');
});
