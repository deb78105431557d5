/** A connection whose owner does something with it just when he is told of it. */
import { describe, expect, test } from 'vitest';
import { StreamClient } from '../../src/client/stream/client.js';
import { Connection, type ConnectionState } from '../../src/client/stream/connection.js';
import { crc32 } from '../../src/client/stream/followed-book.js';
import { ClientWorld, settle } from '../support/client-world.js';
import { thrownLater } from '../support/thrown-later.js';

const T = 'book:SOL-PERP:50';
const topic = { channel: 'book', market: 'SOL-PERP' } as const;
const LONG_MS = 60_000;

function connect() {
  const world = new ClientWorld();
  const heard: string[] = [];
  const owner = {
    onOpen: () => void heard.push('opened'),
    onMessage: () => {},
    onDisconnect: () => void heard.push('lost'),
  };
  const options = { address: 'ws://service/ws', ...world, clock: world.clock };
  return { world, heard, connection: new Connection(options, owner) };
}

describe('what is done while a state is told', () => {
  test.each<[ConnectionState, string[]]>([
    ['connecting', []],
    ['open', ['lost']],
    ['pausing', ['opened', 'lost']],
  ])('a close at %s is a close', async (at, heardThen) => {
    const { world, connection, heard } = connect();
    connection.states.add((state) => {
      if (state === at) connection.close();
    });
    connection.open();
    world.sockets.at(-1)?.open();
    world.sockets.at(-1)?.lose();
    const count = world.sockets.length;
    await world.clock.pass(LONG_MS);
    expect(connection.state).toBe('idle');
    expect(heard).toEqual(heardThen);
    expect(world.sockets).toHaveLength(count);
  });

  test.each<ConnectionState>(['connecting', 'pausing'])(
    'a close and an opening at %s are one connection',
    async (at) => {
      const { world, connection } = connect();
      let isFirst = true;
      connection.states.add((state) => {
        if (state !== at || !isFirst) return;
        isFirst = false;
        connection.close();
        connection.open();
      });
      connection.open();
      if (at === 'pausing') world.socket.lose();
      const { socket } = world;
      socket.open();
      const count = world.sockets.length;
      await world.clock.pass(LONG_MS);
      expect(connection.state).toBe('open');
      expect(world.sockets).toHaveLength(count);
      expect(world.sockets.filter(({ isClosed }) => !isClosed)).toEqual([socket]);
    },
  );
});

/** A client that follows a book of one bid at seq 5. */
function following(onRepair?: () => void) {
  const world = new ClientWorld();
  const healing = onRepair === undefined ? {} : { onRepair };
  const options = { url: 'http://service', ...world, clock: world.clock, ...healing };
  const client = new StreamClient(options);
  const subscription = client.subscribe(topic);
  world.socket.open();
  const frame = {
    ...{ type: 'snapshot', topic: T, market: 'SOL-PERP', epoch: 'e1', seq: 5, slot: 10, ts: 1 },
    ...{ state: 'live', bids: [['100', '7', { dlob: '7' }]], asks: [], crc: crc32('100:7') },
  };
  world.socket.say({ type: 'subscribed', id: 1, topic: T }, frame);
  return { world, client, subscription, frame };
}

test('a client that is closed when its book is no longer followed stays closed', async () => {
  const { world, client, subscription } = following();
  subscription.onUpdate(({ isFollowing }) => {
    if (!isFollowing) client.close();
  });
  world.socket.lose();
  await world.clock.pass(LONG_MS);
  expect(client.connection).toBe('idle');
  expect(world.sockets).toHaveLength(1);
});

test('what onRepair throws does not keep a book from being mended', async () => {
  const fault = new Error('a fault of the page');
  const { world, frame } = following(() => {
    throw fault;
  });
  const thrown = await thrownLater(async () => {
    world.socket.say({ ...frame, type: 'delta', prev: 6, seq: 7 });
    await settle();
  });
  expect(thrown).toEqual([fault]);
  expect(world.socket.sent.at(-1)).toMatchObject({ type: 'subscribe', resume: { seq: 5 } });
});

test('a listener that is taken away hears nothing more', () => {
  const { subscription, world, frame } = following();
  const [heard, kept]: [number[], number[]] = [[], []];
  const off = subscription.onUpdate(({ seq }) => heard.push(seq));
  subscription.onUpdate(({ seq }) => kept.push(seq));
  off();
  off();
  world.socket.say({ ...frame, seq: 6 });
  expect([heard, kept]).toEqual([[5], [5, 6]]);
});
