import { once } from 'node:events';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { CallEnd } from './call-end.js';
import { GRPC_WINDOW_BYTES } from './limits.js';
import { openCall } from './subscribe-call.js';

/** A call to a server of its own, the server's end of it, and what it brings. */
async function startCall() {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const opened = once(server, 'stream') as Promise<[ServerHttp2Stream]>;
  const messages: Buffer[] = [];
  const ends: CallEnd[] = [];
  const call = openCall(`http://127.0.0.1:${port}`, undefined, {
    onBytes: (bytes) => messages.push(Buffer.from(bytes)),
    onEnd: (end) => ends.push(end),
  });
  const [stream] = await opened;
  stream.on('error', () => undefined);
  onTestFinished(() => {
    call.close();
    server.close();
  });
  return { call, stream, messages, ends };
}

test('grpc: the window lets the server send much before it waits, on the whole connection too', async () => {
  const { stream } = await startCall();
  const { session } = stream;
  // The limits of the stream and of the connection both apply.
  expect(session?.remoteSettings.initialWindowSize).toBe(GRPC_WINDOW_BYTES);
  await expect
    .poll(() => session?.state.remoteWindowSize, { timeout: 30_000 })
    .toBe(GRPC_WINDOW_BYTES);
});

test('grpc: messages are read whole, wherever their bytes are cut', async () => {
  const { stream, messages } = await startCall();
  const sizes = [0, 1, 70_000, 3, 0, 4_400, 200_000, 9];
  const sent = sizes.map((size, at) => Buffer.alloc(size, at + 1));
  const bytes = Buffer.concat(
    sent.flatMap((message) => {
      const head = Buffer.alloc(5);
      head.writeUInt32BE(message.length, 1);
      return [head, message];
    }),
  );
  stream.respond({ 'content-type': 'application/grpc' });
  // Of any size, and the heads of the first messages byte by byte.
  for (let at = 0, size = 1; at < bytes.length; at += size, size = at < 12 ? 1 : (at % 9_973) + 1)
    stream.write(bytes.subarray(at, at + size));
  await expect.poll(() => messages.length, { timeout: 30_000 }).toBe(sent.length);
  expect(Buffer.concat(messages).equals(Buffer.concat(sent))).toBe(true);
});

test('grpc: an end without a gRPC status has that of its HTTP status or of its reset', async () => {
  const kinds = [
    { end: (stream: ServerHttp2Stream) => stream.respond({ ':status': 503 }, { endStream: true }) },
    { end: (stream: ServerHttp2Stream) => stream.respond({ ':status': 401 }, { endStream: true }) },
    { end: (stream: ServerHttp2Stream) => stream.close(11) },
    { end: (stream: ServerHttp2Stream) => stream.session?.destroy() },
  ];
  const codes: (number | undefined)[] = [];
  for (const { end } of kinds) {
    const { stream, ends } = await startCall();
    end(stream);
    await expect.poll(() => ends.length, { timeout: 30_000 }).toBeGreaterThan(0);
    codes.push(ends[0]?.code);
  }
  expect(codes).toEqual([14, 16, 8, 14]);
});
