import { beforeEach, expect, test } from 'vitest';
import { ManualTimers } from '../../../test/support/manual-timers.js';
import type { RpcSocketListener } from '../../rpc/socket.js';
import { STREAM_RETURN_MS } from '../model/limits.js';
import type { LogsConnection } from './grpc-logs.js';
import { LogsSocket } from './logs-socket.js';

/** A source that opens when it is told to; a stopped one has no listener. */
class Source implements LogsConnection {
  listener: RpcSocketListener | null = null;

  start(listener: RpcSocketListener): void {
    this.listener = listener;
  }

  stop(): void {
    this.listener = null;
  }

  resetBackoff(): void {}

  subscribe(): never {
    throw new Error('no test subscribes');
  }
}

let [first, second, socket]: [Source, Source, Source] = [new Source(), new Source(), new Source()];
let timers: ManualTimers;
let logs: LogsSocket;
let events: string[];

beforeEach(() => {
  [first, second, socket] = [new Source(), new Source(), new Source()];
  timers = new ManualTimers();
  logs = new LogsSocket({ streams: [first, second], socket, timers });
  events = [];
});

/** Begins a session. */
function start(): void {
  logs.start({
    onOpened: () => events.push('opened'),
    onClosed: (reason) => events.push(reason),
    onMalformed: () => events.push('malformed'),
  });
}

/** The sources that are in use or tried. */
const used = () =>
  Object.entries({ first, second, socket }).flatMap(([name, { listener }]) =>
    listener === null ? [] : [name],
  );

test('the first stream that opens is used, in the order of preference', () => {
  start();
  expect(used()).toEqual(['first']);
  first.listener?.onClosed('refused');
  expect(used()).toEqual(['second']);
  second.listener?.onOpened();
  expect(events).toEqual(['opened']);
});

test('the socket of the node is used when no stream opens, and its closing ends the session', () => {
  start();
  first.listener?.onClosed('refused');
  second.listener?.onClosed('refused');
  expect(used()).toEqual(['socket']);
  socket.listener?.onOpened();
  socket.listener?.onClosed('cut');
  expect(events).toEqual(['opened', 'cut']);
});

test.each([
  ['before it was live begins with the next source', false, 'second'],
  ['after it was live begins with the first source again', true, 'first'],
] as const)('a session after one that ended %s', (_, isLive, next) => {
  start();
  first.listener?.onOpened();
  if (isLive) logs.resetBackoff();
  first.listener?.onClosed('cut');
  logs.stop();
  start();
  expect(used()).toEqual([next]);
});

test('a session ends when a preferred stream opens again', () => {
  start();
  first.listener?.onClosed('refused');
  second.listener?.onOpened();
  timers.advance(STREAM_RETURN_MS);
  expect(used()).toEqual(['first', 'second']);
  first.listener?.onOpened();
  expect(events).toEqual(['opened', 'a gRPC stream stands again']);
});
