import { once } from 'node:events';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { GRPC_WINDOW_BYTES } from './limits.js';
import { openCall } from './subscribe-call.js';

test('grpc: a server that is far away may send a whole window ahead of its receipt', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const opened = once(server, 'stream') as Promise<[ServerHttp2Stream]>;
  const ignore = (): void => undefined;
  const call = await openCall(`http://127.0.0.1:${port}`, undefined, {
    onBytes: ignore,
    onEnd: ignore,
  });
  try {
    const [{ session }] = await opened;
    // The limits of the stream and of the connection both apply.
    expect(session?.remoteSettings.initialWindowSize).toBe(GRPC_WINDOW_BYTES);
    await expect
      .poll(() => session?.state.remoteWindowSize, { timeout: 30_000 })
      .toBe(GRPC_WINDOW_BYTES);
  } finally {
    call.close();
    server.close();
  }
});
