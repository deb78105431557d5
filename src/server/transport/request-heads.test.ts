/**
 * The maximum length of a request. The transport accepts a request whose first line came in one
 * packet, whatever the later packets; it rejects a first line in several packets with a 505, at any
 * length. So a long path needs large packets: a proxy on the same machine sends a head in one.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RawSocket } from '../../../test/support/raw-socket.js';
import { until } from '../../../test/support/until.js';
import { LIMITS } from '../../config/limits.js';
import { FakeBook, type RunningServer, startServer } from '../testing/running-server.js';

let server: RunningServer;

beforeAll(async () => {
  server = await startServer(new FakeBook());
});
afterAll(() => server.close());

const connect = () => RawSocket.connect(Number(new URL(server.url).port));

function firstLine(pathBytes: number): string {
  const path = '/l2?marketName=SOL-PERP&';
  return `GET ${path}${'x'.repeat(pathBytes - path.length + 1)} HTTP/1.1\r\n`;
}

const headers = 'Host: 127.0.0.1\r\nConnection: close\r\n\r\n';

async function statusOf(...packets: readonly string[]): Promise<string> {
  const socket = await connect();
  for (const packet of packets) {
    socket.write(Buffer.from(packet));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await until(() => socket.head !== '');
  socket.socket.destroy();
  return socket.head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
}

test.each([9_015, LIMITS.requestLineBytesMax])('a path of %i bytes is taken', async (bytes) => {
  expect(await statusOf(firstLine(bytes) + headers)).toBe('200');
});

test('a longer one is refused by name', async () => {
  expect(await statusOf(firstLine(LIMITS.requestLineBytesMax + 1) + headers)).toBe('413');
});

test('the headers behind a first line of any length may come in other packets', async () => {
  const filler = `X-Filler: ${'x'.repeat(LIMITS.headerBytesMax - 200)}\r\n`;
  const line = firstLine(LIMITS.requestLineBytesMax);
  expect(await statusOf(line, filler, headers)).toBe('200');
});

test('a first line in two packets is refused by the transport, however short it is', async () => {
  expect(await statusOf('GET /l2?mark')).toBe('505');
});
