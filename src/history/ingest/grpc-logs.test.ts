import { expect, test } from 'vitest';
import type { GrpcStream } from '../../rpc/grpc/grpc-stream.js';
import type { GrpcStreamListener } from '../../rpc/grpc/stream-listener.js';
import { grpcLogsOf } from './grpc-logs.js';

test('grpc logs: a transaction whose signature is none is a malformed message', async () => {
  let stream: GrpcStreamListener | undefined;
  const start = (listener: GrpcStreamListener): void => {
    stream = listener;
  };
  const logs = grpcLogsOf({ start, stop: () => undefined } as unknown as GrpcStream);
  const events: unknown[] = [];
  logs.start({
    onOpened: () => undefined,
    onClosed: () => undefined,
    onMalformed: () => events.push('malformed'),
  });
  await logs.subscribe('logsSubscribe', [], () => events.push('logs'));
  for (const bytes of [0, 63, 64, 97]) {
    const signature = Buffer.alloc(bytes, 1);
    stream?.onContent({ kind: 'transaction', slot: 1, signature, failed: false, lines: [] });
  }
  expect(events).toEqual(['malformed', 'malformed', 'logs', 'malformed']);
});

test('grpc logs: stopped logs stop the stream, and forward none of its transactions', async () => {
  let stream: GrpcStreamListener | undefined;
  const events: string[] = [];
  const logs = grpcLogsOf({
    start: (listener: GrpcStreamListener) => {
      stream = listener;
    },
    stop: () => events.push('stopped'),
  } as unknown as GrpcStream);
  const ignore = (): undefined => undefined;
  logs.start({ onOpened: ignore, onClosed: ignore, onMalformed: ignore });
  await logs.subscribe('logsSubscribe', [], () => events.push('logs'));
  logs.stop();
  const signature = Buffer.alloc(64, 1);
  stream?.onContent({ kind: 'transaction', slot: 1, signature, failed: false, lines: [] });
  expect(events).toEqual(['stopped']);
});
