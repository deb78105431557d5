/** Which requests become WebSockets, and the result of their negotiation. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { RawSocket, UPGRADE_HEAD } from '../../../test/support/raw-socket.js';
import { SocketScene } from '../../../test/support/socket-scene.js';

let scene: SocketScene;

beforeAll(async () => {
  scene = await SocketScene.start();
});
afterEach(() => scene.closeProbes());
afterAll(() => scene.stop());

// Specification: ws-path, live-path.
test.each(['/ws', '/v1/ws', '/dlob/ws', '/data/ws'])('%s is a WebSocket', async (path) => {
  const client = await scene.open(path);
  expect(await client.ask({ type: 'ping', id: 1 })).toEqual([]);
});

test.each(['/', '/ws/', '/wss', '/l2', '/v2/ws'])('%s is none', async (path) => {
  await expect(scene.open(path)).rejects.toThrow('404');
});

test('the first subprotocol is agreed on, as browsers insist, and no compression', async () => {
  const { socket } = await scene.open('/ws', { protocols: ['book', 'other'] });
  expect([socket.protocol, socket.extensions]).toEqual(['book', '']);
});

test.each(['Content-Length: 5', 'Content-Length: ', 'Transfer-Encoding: chunked'])(
  'an upgrade that announces a body is refused and cut: %s',
  async (line) => {
    const raw = await RawSocket.connect(scene.listener.port);
    raw.write(`${UPGRADE_HEAD}${line}\r\n\r\n0\r\n\r\n${UPGRADE_HEAD}\r\n`);
    await raw.ended;
    expect(raw.head).toMatch(/^HTTP\/1\.1 400 /);
    expect(scene.sockets.readStats()).toMatchObject({ sockets: 0 });
  },
);
