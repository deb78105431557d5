import { afterEach, expect, test, vi } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { systemTimers } from '../../rpc/timers.js';
import { SocketBacklog, type WaitingSocket } from './socket-backlog.js';

afterEach(() => {
  vi.useRealTimers();
});

class FullSocket implements WaitingSocket {
  isCut = false;

  constructor(
    readonly bytes: number,
    private readonly backlog: SocketBacklog,
  ) {
    backlog.addSocket(this);
  }

  bufferedBytes(): number {
    return this.isCut ? 0 : this.bytes;
  }

  shed(): void {
    this.isCut = true;
    this.backlog.removeSocket(this);
  }
}

test('beyond the total the greediest are cut, and no more of them than must be', () => {
  const backlog = new SocketBacklog(systemTimers, 100);
  const sockets = [0, 30, 10, 50, 20, 40].map((bytes) => new FullSocket(bytes, backlog));
  backlog.check();
  expect(sockets.filter(({ isCut }) => isCut).map(({ bytes }) => bytes)).toEqual([50]);
  expect(backlog.bytes).toBe(100);
  backlog.check();
  expect(sockets.filter(({ isCut }) => isCut)).toHaveLength(1);
});

test('sockets are asked again and again while there are any', () => {
  vi.useFakeTimers();
  const backlog = new SocketBacklog(systemTimers, 100);
  const [small, large] = [new FullSocket(60, backlog), new FullSocket(70, backlog)];
  vi.advanceTimersByTime(LIMITS.socketBacklogCheckMs);
  expect([small.isCut, large.isCut, backlog.bytes]).toEqual([false, true, 60]);
  small.shed();
  expect([backlog.bytes, vi.getTimerCount()]).toEqual([0, 0]);
});
