/** Users that no program of this layout can have written, and markets whose orders lie elsewhere. */
import { expect, test } from 'vitest';
import type { ProgramName } from '../src/contract/program.js';
import { writeOf } from './simulation/market-life.js';
import { testWorld } from './support/test-world.js';
import { until } from './support/until.js';
import type { World } from './world/world.js';

/** Where users have their counts and orders, by hand, and fields of an order. */
const USERS = {
  drift: {
    ...{ bytes: 4_376, openOrders: 4_351, nextOrderId: 4_336, orders: 1_192, orderBytes: 96 },
    order: { marketIndex: 80, status: 82, marketType: 84, bitFlags: 94, padding: 95 },
  },
  velocity: {
    ...{ bytes: 4_496, openOrders: 4_471, nextOrderId: 4_456, orders: 1_064, orderBytes: 104 },
    order: { marketIndex: 84, status: 86, marketType: 88, bitFlags: 98, padding: 99 },
  },
} as const;

/** `OrderStatus::Open`, `MarketType::Perp`, and the bit of an order that rests on a CLOB program. */
const OPEN = 1;
const PERP = 1;
const ON_CLOB = 64;

type UserLayout = (typeof USERS)[ProgramName];

const CONTRADICTIONS: readonly (readonly [
  string,
  (data: Buffer, user: UserLayout) => void,
  RegExp,
])[] = [
  ['a key of another owner', (data) => data.writeUInt8(data.readUInt8(8) ^ 1, 8), /its address/],
  [
    'a wrong count',
    (data, { openOrders }) => data.writeUInt8(31, openOrders),
    /openOrders was 31, must be/,
  ],
  [
    'an order after the next',
    (data, { nextOrderId }) => data.writeUInt32LE(1, nextOrderId),
    /nextOrderId was 1, must be above/,
  ],
  [
    'an order of an unknown market',
    (data, { orders, order }) => data.writeUInt16LE(999, orders + order.marketIndex),
    /market 999, which is unknown/,
  ],
  [
    'a gap that is not empty',
    (data, { orders, order }) => data.writeUInt8(7, orders + order.padding),
    /its padding was not zero/,
  ],
];

/** The accounts of users with an open order in the first slot. */
function usersOf({ chain }: World, user: UserLayout) {
  return [...chain.accounts.values()].flatMap(({ write }) => {
    const isUser = write?.data.length === user.bytes;
    return isUser && write.data[user.orders + user.order.status] === OPEN ? [write] : [];
  });
}

test.each(['drift', 'velocity'] as const)(
  'a user that contradicts the layout of %s keeps the book from being live, and is named',
  async (program) => {
    const user = USERS[program];
    const scene = await testWorld({ program });
    const { chain, nodes, service } = scene;
    chain.stopLife();
    const [written] = usersOf(scene, user);
    if (written === undefined) throw new Error('no user has an order in the first slot');
    const { pubkey, owner } = written;
    const cut = async (data: Buffer): Promise<void> => {
      const from = service.states.length;
      chain.setAccount(pubkey, writeOf({ pubkey, owner, data }));
      for (const node of nodes) node.cutConnections();
      await until(() => service.states.length > from);
    };
    for (const [name, change, said] of CONTRADICTIONS) {
      const data = Buffer.from(written.data);
      change(data, user);
      await cut(data);
      const from = service.states.length;
      await scene.run(10_000);
      expect(service.states.slice(from), name).not.toContain('live');
      const ready = await service.get('/ready');
      expect(ready.status, name).toBe(503);
      expect(ready.text, name).toMatch(said);
      expect(ready.text, name).toContain(`LAYOUT_MISMATCH: user account ${pubkey} contradicts`);
      await cut(written.data);
      await until(() => service.states.at(-1) === 'live');
    }
  },
);

test('markets whose orders rest on a CLOB program are empty, and a service of them alone is not ready', async () => {
  const user = USERS.velocity;
  const scene = await testWorld({ program: 'velocity' });
  const { chain, service } = scene;
  chain.stopLife();
  const indexOf = (data: Buffer, at: number): number | null => {
    const isOpen =
      data[at + user.order.status] === OPEN && data[at + user.order.marketType] === PERP;
    return isOpen ? data.readUInt16LE(at + user.order.marketIndex) : null;
  };
  const moveMarket = (marketIndex: number): void => {
    for (const { pubkey, owner, data: before } of usersOf(scene, user)) {
      const data = Buffer.from(before);
      for (let slot = 0; slot < 32; slot += 1) {
        const at = user.orders + slot * user.orderBytes;
        if (indexOf(data, at) !== marketIndex) continue;
        data.writeUInt8(
          data.readUInt8(at + user.order.bitFlags) | ON_CLOB,
          at + user.order.bitFlags,
        );
        chain.setAccount(pubkey, writeOf({ pubkey, owner, data }));
        return;
      }
    }
    throw new Error(`no user has an order in perp market ${marketIndex}`);
  };
  const perps = async () => {
    const rows = JSON.parse((await service.get('/markets')).text) as readonly {
      readonly marketType: string;
      readonly marketIndex: number;
      readonly emptyReason: string | null;
    }[];
    return rows.filter(({ marketType }) => marketType === 'perp');
  };
  const movedCount = async () =>
    (await perps()).filter(({ emptyReason }) => emptyReason === 'ordersOnClob').length;
  const all = await perps();
  const [first, ...others] = all.map(({ marketIndex }) => marketIndex);
  if (first === undefined) throw new Error('the chain has no perp market');
  moveMarket(first);
  await expect.poll(movedCount).toBe(1);
  expect((await service.get('/ready')).status).toBe(200);
  for (const index of others) moveMarket(index);
  await expect.poll(movedCount).toBe(all.length);
  const ready = await service.get('/ready');
  expect([ready.status, service.states.at(-1)]).toEqual([503, 'live']);
  expect(ready.text).toContain('rest on a CLOB program');
  expect((await service.get('/metrics')).text).toContain(
    `slotbook_markets_empty{reason="ordersOnClob"} ${all.length}`,
  );
});
