import { beforeEach, describe, expect, test } from 'vitest';
import { FakeSocket, noRpc } from '../../test/support/fake-socket.js';
import { ManualTimers } from '../../test/support/manual-timers.js';
import { silentLog } from '../rpc/log.js';
import type { RpcNodes } from '../rpc/node-pool.js';
import type { FeedNode } from './model/feed-source.js';
import { LOSS_MEMORY_MS } from './model/limits.js';
import { NodeFailover } from './node-failover.js';

const STALE_AFTER_MS = 5_000;

let timers: ManualTimers;
let sockets: FakeSocket[];
let events: string[];
let nodes: NodeFailover;
let counters: { failovers: number };

/** Starts with this many nodes, named a, b, c; delays have no jitter. */
function start(count: number, random = 1, onClosed = (): void => undefined): void {
  timers = new ManualTimers();
  events = [];
  counters = { failovers: 0 };
  sockets = Array.from({ length: count }, () => new FakeSocket());
  const all = sockets.map((socket, index): Omit<FeedNode, 'openUpdates'> => {
    return { name: 'abc'[index] ?? '', rpc: noRpc, socket };
  });
  nodes = new NodeFailover({
    nodes: all as unknown as RpcNodes<FeedNode>,
    timers,
    random: () => random,
    staleAfterMs: STALE_AFTER_MS,
    counters,
    log: silentLog,
  });
  nodes.start({
    onOpened: ({ name }) => events.push(`opened ${name}`),
    onClosed: (reason) => {
      events.push(`closed: ${reason}`);
      onClosed();
    },
    onMalformed: () => events.push('malformed'),
  });
}

function socketOf(name: string): FakeSocket {
  const socket = sockets['abc'.indexOf(name)];
  if (socket === undefined) throw new Error(`there is no node ${name}`);
  return socket;
}

const running = (): string[] =>
  sockets.flatMap(({ listener }, index) => (listener === null ? [] : ['abc'[index] ?? '']));

function open(name: string): void {
  const { listener } = socketOf(name);
  if (listener === null) throw new Error(`the socket of ${name} does not run`);
  listener.onOpened();
}

function close(name: string, reason = 'gone'): void {
  const { listener } = socketOf(name);
  if (listener === null) throw new Error(`the socket of ${name} does not run`);
  listener.onClosed(reason);
}

function goLive(name: string): void {
  open(name);
  nodes.recordLive();
}

test('nodes: who stops when a node is left hears nothing more, and nothing runs on', () => {
  for (const leave of [() => nodes.checkSilence(STALE_AFTER_MS, true), () => close('a')]) {
    start(2, 1, () => nodes.stop());
    open('a');
    leave();
    timers.advance(60_000);
    expect(running()).toEqual([]);
  }
});

describe('nodes: which one is used', () => {
  beforeEach(() => start(2));

  test('the first, while it works', () => {
    goLive('a');
    timers.advance(60_000);
    expect([running(), nodes.current.name, counters.failovers]).toEqual([['a'], 'a', 0]);
  });

  test('a live connection that is lost is tried once more on the same node', () => {
    goLive('a');
    close('a');
    expect(running()).toEqual(['a']);
    goLive('a');
    expect([running(), counters.failovers]).toEqual([['a'], 0]);
  });

  test('when that try fails the next node is used at once', () => {
    goLive('a');
    close('a');
    close('a', 'refused');
    timers.advance(0);
    expect([running(), nodes.current.name, counters.failovers]).toEqual([['b'], 'b', 1]);
    expect(events).toEqual(['opened a', 'closed: gone', 'closed: refused']);
  });

  test('when that try hangs the next node is used after two seconds', () => {
    goLive('a');
    close('a');
    timers.advance(1_999);
    expect(running()).toEqual(['a']);
    timers.advance(1);
    expect(running()).toEqual(['b']);
    expect(events.at(-1)).toBe('closed: not connected within 2000 ms');
  });

  test('a connection that ends before the book is live counts as a failed try', () => {
    open('a');
    nodes.dropConnection('a subscribe was refused');
    timers.advance(0);
    expect(running()).toEqual(['b']);
  });

  test('the second stays in use although the first is back', () => {
    close('a');
    timers.advance(0);
    goLive('b');
    timers.advance(600_000);
    close('b');
    goLive('b');
    expect([running(), counters.failovers]).toEqual([['b'], 1]);
  });

  test('after stop nothing is tried any more', () => {
    close('a');
    nodes.stop();
    timers.advance(60_000);
    expect([running(), timers.waitsMs]).toEqual([[], []]);
  });
});

describe('nodes: when all fail', () => {
  /** Lets every try fail immediately; returns the delays between rounds. */
  function waitsOf(rounds: number): number[] {
    const waits: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (const name of sockets.keys()) {
        close('abc'[name] ?? '');
        const [wait = -1] = timers.waitsMs;
        if (wait > 0) waits.push(wait);
        timers.advance(wait);
      }
    }
    return waits;
  }

  test('the waits double to a cap', () => {
    start(2);
    expect(waitsOf(6)).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  });

  test('the waits are jittered', () => {
    start(2, 0);
    expect(waitsOf(3)).toEqual([50, 100, 200]);
  });

  test('three nodes are tried before a wait', () => {
    start(3);
    expect(waitsOf(2)).toEqual([100, 200]);
  });

  test('a connect may take longer on each way round, up to a cap', () => {
    start(2);
    const limits = Array.from({ length: 10 }, () => {
      const [limit = -1] = timers.waitsMs;
      timers.advance(limit);
      if (running().length === 0) timers.advance(timers.waitsMs[0] ?? 0);
      return limit;
    });
    expect(limits).toEqual([
      2_000, 2_000, 4_000, 4_000, 8_000, 8_000, 10_000, 10_000, 10_000, 10_000,
    ]);
  });

  test('a book that is live makes the waits short again', () => {
    start(2);
    waitsOf(3);
    goLive('a');
    close('a');
    expect(waitsOf(1)).toEqual([100]);
  });
});

describe('nodes: readings that fail', () => {
  test('the second failure in a row leads to the next node', () => {
    start(2);
    open('a');
    nodes.recordReadFailure('RPC_TIMEOUT');
    expect(running()).toEqual(['a']);
    nodes.recordReadFailure('RPC_TIMEOUT');
    timers.advance(0);
    expect(running()).toEqual(['b']);
    expect(events.at(-1)).toBe('closed: RPC_TIMEOUT');
  });

  test('failures count anew after a live book', () => {
    start(2);
    open('a');
    nodes.recordReadFailure('RPC_TIMEOUT');
    nodes.recordLive();
    nodes.recordReadFailure('RPC_TIMEOUT');
    expect(running()).toEqual(['a']);
  });

  test('the only node is kept, because its session tries again by itself', () => {
    start(1);
    open('a');
    for (let failure = 0; failure < 10; failure += 1) nodes.recordReadFailure('RPC_TIMEOUT');
    expect(events).toEqual(['opened a']);
  });
});

describe('nodes: silence on an open connection', () => {
  test('the next node is used as soon as the book is stale', () => {
    start(2);
    goLive('a');
    nodes.checkSilence(STALE_AFTER_MS - 1, true);
    expect(running()).toEqual(['a']);
    nodes.checkSilence(STALE_AFTER_MS, true);
    timers.advance(0);
    expect(running()).toEqual(['b']);
    expect(events.at(-1)).toBe('closed: no slot for 5000 ms');
  });

  test('a node that is silent while its accounts are read is left as well', () => {
    start(2);
    open('a');
    nodes.checkSilence(STALE_AFTER_MS, false);
    timers.advance(0);
    expect(running()).toEqual(['b']);
  });

  /** The silence before each further switch, while no node has slots. */
  function silencesOf(moves: number): number[] {
    return Array.from({ length: moves }, () => {
      const name = nodes.current.name;
      goLive(name);
      for (let ms = 1_000; ; ms += 1_000) {
        nodes.checkSilence(ms, true);
        if (events.at(-1) === `opened ${name}`) continue;
        timers.advance(timers.waitsMs[0] ?? 0);
        return ms;
      }
    });
  }

  test('while no node has slots the moves get rarer, up to a cap', () => {
    start(2);
    expect(silencesOf(7)).toEqual([5_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
  });

  test('a slot makes the next node be asked soon again', () => {
    start(2);
    silencesOf(4);
    nodes.recordSlot();
    expect(silencesOf(1)).toEqual([5_000]);
  });

  test('the only node is connected to anew, less and less often', () => {
    start(1);
    expect(silencesOf(4)).toEqual([20_000, 40_000, 80_000, 160_000]);
  });

  test('the only node may be silent while its accounts are read', () => {
    start(1);
    open('a');
    nodes.checkSilence(600_000, false);
    expect(events).toEqual(['opened a']);
  });
});

describe('nodes: which chain is followed', () => {
  test('the first that is told of, by whichever node', () => {
    start(2);
    close('a');
    timers.advance(0);
    expect(nodes.admitsChain('g', null)).toBe(true);
  });

  test('another one of the node in use, not of a node that takes over', () => {
    start(2);
    expect(nodes.admitsChain('g', null)).toBe(true);
    close('a');
    timers.advance(0);
    expect(nodes.admitsChain('third', 'g')).toBe(false);
  });

  test('a node that took over on the same chain may change it later', () => {
    start(2);
    nodes.admitsChain('g', null);
    close('a');
    timers.advance(0);
    expect([nodes.admitsChain('g', 'g'), nodes.admitsChain('other', 'g')]).toEqual([true, false]);
    close('b');
    timers.advance(0);
    expect(nodes.admitsChain('other', 'g')).toBe(true);
  });
});

describe('nodes: connections that lose messages', () => {
  test('the first is made again, after the second the next node is used', () => {
    start(2);
    goLive('a');
    nodes.recordLoss('users are silent');
    timers.advance(0);
    expect([running(), counters.failovers]).toEqual([['a'], 0]);
    goLive('a');
    nodes.recordLoss('users are silent');
    timers.advance(0);
    expect([running(), counters.failovers]).toEqual([['b'], 1]);
    expect(events.filter((event) => event === 'closed: users are silent')).toHaveLength(2);
  });

  test('each further one waits longer, since each costs a scan', () => {
    start(1);
    const waitsMs = Array.from({ length: 8 }, () => {
      goLive('a');
      nodes.recordLoss('users are silent');
      const [waitMs = -1] = timers.waitsMs;
      timers.advance(waitMs);
      return waitMs;
    });
    expect(waitsMs).toEqual([0, 0, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    expect(events.filter((event) => event === 'closed: users are silent')).toHaveLength(8);
    timers.advance(LOSS_MEMORY_MS);
    nodes.recordLoss('users are silent');
    expect(timers.waitsMs).toEqual([0]);
  });

  test('a connection that ends by itself meanwhile is not ended again', () => {
    start(1);
    for (let count = 0; count < 3; count += 1) {
      goLive('a');
      nodes.recordLoss('users are silent');
      timers.advance(0);
    }
    goLive('a');
    timers.advance(60_000);
    expect(events.at(-1)).toBe('opened a');
  });
});
