/**
 * Requests that a proxy in front may parse differently. A request that announces a body is rejected
 * and its connection closed, so that the bytes after it never count as a request; and a request
 * pipelined after a slow response never gets another's response.
 */
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../test/support/until.js';
import { systemTimers } from '../../rpc/timers.js';
import { FakeBook, type RunningServer, startServer } from '../testing/running-server.js';
import { jsonReply, type Reply } from './reply.js';
import { type Listener, listen } from './uws.js';

const HOST = 'Host: 127.0.0.1';
/** A request that must not be answered when it follows a body. */
const HIDDEN = `GET /version HTTP/1.1\r\n${HOST}\r\n\r\n`;
const PLAIN = `GET /health HTTP/1.1\r\n${HOST}\r\n\r\n`;

const request = (head: string, body = '', method = 'POST'): string =>
  `${method} /l2?marketName=SOL-PERP HTTP/1.1\r\n${HOST}\r\n${head}\r\n\r\n${body}`;

/** Sends packets one after the other, each after `isDue`, and returns the complete response. */
async function converse(
  port: number,
  packets: readonly string[],
  isDue: (index: number, read: string) => boolean = () => true,
): Promise<string> {
  const socket = createConnection({ host: '127.0.0.1', port }).setNoDelay(true);
  let read = '';
  socket.on('error', () => {}).on('data', (bytes) => (read += bytes.toString('latin1')));
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  for (const [index, packet] of packets.entries()) {
    await until(() => isDue(index, read));
    socket.write(packet, 'latin1');
  }
  await closed;
  return read;
}

const statusesIn = (read: string): readonly string[] =>
  [...read.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status ?? '');

describe('a request that announces a body', () => {
  let server: RunningServer;
  const portOf = () => Number(new URL(server.url).port);

  beforeAll(async () => {
    server = await startServer(new FakeBook());
  });
  afterAll(() => server.close());

  const CHUNKS = '5\r\nhello\r\n0\r\n\r\n';
  test.each([
    ['a body', request('Content-Length: 5', 'hello')],
    ['a body of GET', request('Content-Length: 5', 'hello', 'GET')],
    ['a body of HEAD', request('Content-Length: 5', 'hello', 'HEAD')],
    ['a body of OPTIONS', request('Content-Length: 5', 'hello', 'OPTIONS')],
    ['a body that never comes', request('Content-Length: 100000')],
    ['a body as long as the request behind it', request(`Content-Length: ${HIDDEN.length}`)],
    ['two lengths, the first zero', request('Content-Length: 0\r\nContent-Length: 5', 'hello')],
    ['two lengths, the second zero', request('Content-Length: 5\r\nContent-Length: 0', 'hello')],
    ['two equal lengths', request('Content-Length: 0\r\nContent-Length: 0')],
    ['an empty length', request('Content-Length: ')],
    ['an empty length before another', request('Content-Length:\r\nContent-Length: 5', 'hello')],
    ['lengths in one line', request('Content-Length: 0, 0')],
    ['a signed length', request('Content-Length: +5', 'hello')],
    ['a hexadecimal length', request('Content-Length: 0x5', 'hello')],
    ['two zeros', request('Content-Length: 00')],
    ['chunks', request('Transfer-Encoding: chunked', CHUNKS)],
    ['chunks and then identity', request('Transfer-Encoding: chunked, identity', CHUNKS)],
    ['identity', request('Transfer-Encoding: identity', CHUNKS)],
    ['an unknown coding', request('Transfer-Encoding: xchunked', CHUNKS)],
    ['an empty coding', request('Transfer-Encoding:', CHUNKS)],
    ['a coding in capitals', request('TRANSFER-ENCODING: CHUNKED', CHUNKS)],
    ['two codings', request('Transfer-Encoding: identity\r\nTransfer-Encoding: chunked', CHUNKS)],
    ['a chunk that ends badly', request('Transfer-Encoding: chunked', '5\r\nhelloXX0\r\n\r\n')],
    ['an extension of a chunk', request('Transfer-Encoding: chunked', '0;a=b\r\n\r\n')],
    ['a trailer', request('Transfer-Encoding: chunked', '0\r\nX-A: b\r\n\r\n')],
    ['a length that is no number', request('Content-Length: five', 'hello')],
  ])('is refused and cut: %s', async (_what, text) => {
    const read = await converse(portOf(), [`${PLAIN}${text}${HIDDEN}`]);
    expect(statusesIn(read)).toEqual(['200', '400']);
    expect(read).toContain('"code":"INVALID_REQUEST"');
    expect(read).toMatch(/^Connection: close\r$/m);
    const [head = '', body = ''] = read.slice(read.lastIndexOf('HTTP/1.1')).split('\r\n\r\n');
    expect(body.length).toBe(Number(/Content-Length: (\d+)/.exec(head)?.[1]));
  });

  test.each([
    ['a length beside chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked'],
    ['chunks beside a length', 'Transfer-Encoding: chunked\r\nContent-Length: 5'],
  ])('is refused by the transport itself: %s', async (_what, head) => {
    const read = await converse(portOf(), [request(head, CHUNKS) + HIDDEN]);
    expect(statusesIn(read)).toEqual(['400']);
  });

  // In parallel, because each is closed only after an idle time.
  test.concurrent.each([
    ['a space before the colon', 'Content-Length : 5'],
    ['a folded line', 'X-A: b\r\n Content-Length: 5'],
    ['a line that ends without a return', 'X-A: b\nContent-Length: 5'],
    ['an underscore', 'Content_Length: 5'],
  ])('in an odd line is never answered, nor is what follows: %s', async (_what, head) => {
    const read = await converse(portOf(), [request(head, 'hello') + HIDDEN]);
    expect(read).toBe('');
  });

  test('of no bytes is served as one without', async () => {
    const end = `GET /health HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n`;
    const text = request('Content-Length: 0', '', 'GET');
    const packets = [text, request('Content-Length: 0'), end];
    const read = await converse(
      portOf(),
      packets,
      (index, soFar) => statusesIn(soFar).length === index,
    );
    expect(statusesIn(read)).toEqual(['200', '405', '200']);
  });

  test('is counted', async () => {
    await converse(portOf(), [request('Content-Length: 1', 'a')]);
    const text = await (await fetch(`${server.url}/metrics`)).text();
    expect(text).toMatch(/slotbook_http_requests_total\{path="\/l2",status="400"\} \d/);
  });
});

describe('requests pipelined behind one whose response is still being made', () => {
  let listener: Listener;
  let finishSlow: (() => void)[] = [];
  let handled: string[] = [];

  beforeAll(async () => {
    listener = await listen({
      timers: systemTimers,
      ...{ host: '127.0.0.1', port: 0, onFault: () => {} },
      handler: ({ path }) => {
        handled.push(path);
        const reply = jsonReply(JSON.stringify(path));
        if (!path.startsWith('/slow')) return reply;
        return new Promise<Reply>((resolve) => finishSlow.push(() => resolve(reply)));
      },
    });
  });
  afterAll(() => listener.close());

  const get = (path: string): string => `GET ${path} HTTP/1.1\r\n${HOST}\r\n\r\n`;
  const isSlowOpen = (index: number): boolean => index === 0 || finishSlow.length > 0;

  test.each([
    ['in the same packet', [get('/slow') + get('/next')]],
    ['in a later packet', [get('/slow'), get('/next')]],
    ['in two packets', [`${get('/slow')}GET /next HTTP/1.1\r\n`, `${HOST}\r\n\r\n`]],
    ['behind another slow one', [get('/slow') + get('/slow2'), get('/next')]],
    ['as something that is no request', [get('/slow'), 'NONSENSE\r\n\r\n']],
    ['with a body', [get('/slow'), request('Content-Length: 5', get('/next'))]],
  ])('are lost with it, and get no response of another: %s', async (_what, packets) => {
    [finishSlow, handled] = [[], []];
    const read = await converse(listener.port, packets, isSlowOpen);
    for (const finish of finishSlow) finish();
    expect(handled).toEqual(['/slow']);
    // The transport may report that the connection ends because of unreadable bytes.
    expect(read).not.toContain('/slow');
    expect(read).not.toContain('/next');
    expect(statusesIn(read).filter((status) => status === '200')).toEqual([]);
  });

  test('behind one that is finished get their own, in order', async () => {
    [finishSlow, handled] = [[], []];
    const packets = [get('/a') + get('/b'), get('/slow'), `${get('/c')}${get('/d')}`, 'X\r\n\r\n'];
    const read = await converse(listener.port, packets, (index, soFar) => {
      if (index === 2) for (const finish of finishSlow.splice(0)) finish();
      return statusesIn(soFar).length === [0, 2, 3, 5][index];
    });
    expect([...read.matchAll(/"(\/\w+)"/g)].map(([, path]) => path)).toEqual(handled);
    expect(handled).toEqual(['/a', '/b', '/slow', '/c', '/d']);
  });
});
