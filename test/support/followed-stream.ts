/** A stream client on a clock that is turned by hand, and the frames of a book of one bid. */
import { StreamClient } from '../../src/client/stream/client.js';
import { crc32 } from '../../src/client/stream/followed-book.js';
import type { BookView } from '../../src/client/stream/topic.js';
import { ClientWorld } from './client-world.js';

export const T = 'book:SOL-PERP:50';
export const topic = { channel: 'book', market: 'SOL-PERP' } as const;

type Row = readonly [price: string, size: string];

const level = ([price, size]: Row) => [price, size, size === '0' ? {} : { dlob: size }];

/** The checksum of one bid. */
const crcOf = (row: Row | undefined): number => crc32(row === undefined ? '' : row.join(':'));

export function snapshot(seq: number, bid: Row, others: object = {}) {
  return {
    ...{ type: 'snapshot', topic: T, channel: 'book', market: 'SOL-PERP', epoch: 'e1', seq },
    ...{ slot: 10, ts: 1_000, state: 'live', reset: false, bids: [level(bid)], asks: [] },
    ...{ crc: crcOf(bid), ...others },
  };
}

/** The one bid gets another size. */
export function delta(prev: number, seq: number, bid: Row, others: object = {}) {
  return { ...snapshot(seq, bid), type: 'delta', prev, ...others };
}

export const heartbeat = (seq: number, others: object = {}) => ({
  ...{ type: 'heartbeat', topic: T, epoch: 'e1', seq, slot: 11, ts: 2_000, state: 'live' },
  ...others,
});

export function start(options: { silenceMsMax?: number } = {}) {
  const world = new ClientWorld();
  const healed: string[] = [];
  const states: string[] = [];
  const client = new StreamClient({
    ...{ url: 'http://service:80/', ...world, clock: world.clock, ...options },
    onRepair: ({ rule }) => healed.push(rule),
  });
  client.onConnection((state) => states.push(state));
  const subscription = client.subscribe(topic);
  const views: BookView[] = [];
  subscription.onUpdate((view) => views.push(view));
  return { world, client, subscription, views, healed, states };
}

export type Started = ReturnType<typeof start>;

/** Answers the newest subscription of the newest socket, and says these frames. */
export function answer({ world: { socket } }: Started, ...frames: readonly object[]): void {
  const { id } = socket.sent.findLast(({ type }) => type === 'subscribe') ?? {};
  socket.say({ type: 'subscribed', id, topic: T }, ...frames);
}

/** A client that follows a book of one bid at seq 5. */
export function following(options?: { silenceMsMax?: number }): Started {
  const started = start(options);
  started.world.socket.open();
  answer(started, snapshot(5, ['100', '7']));
  return started;
}

export const sizes = ({ views }: Started) => views.map(({ bids }) => Number(bids[0]?.size ?? 0n));
