/** Users that no program of this layout can have written: the book is not live, and a line says why. */
import { expect, test } from 'vitest';
import { USER } from '../src/sim/bytes/generated/layout.js';
import { writeOf } from './simulation/market-life.js';
import { until } from './support/until.js';
import { world } from './world/world.js';

/** The first slot of the orders, and fields of it. */
const ORDER = { at: 1_192, id: 76, marketIndex: 80, status: 82, padding: 95 } as const;
const USER_BYTES = 4_376;

const CONTRADICTIONS: readonly (readonly [string, (data: Buffer) => void, RegExp])[] = [
  ['a key of another owner', (data) => data.writeUInt8(data.readUInt8(8) ^ 1, 8), /its address/],
  ['a wrong count', (data) => data.writeUInt8(31, USER.openOrders), /openOrders was 31, must be/],
  [
    'an order after the next',
    (data) => data.writeUInt32LE(1, USER.nextOrderId),
    /nextOrderId was 1/,
  ],
  [
    'an order of an unknown market',
    (data) => data.writeUInt16LE(999, ORDER.at + ORDER.marketIndex),
    /perp market 999, which is unknown/,
  ],
  ['a gap that is not empty', (data) => data.writeUInt8(7, ORDER.at + ORDER.padding), /padding/],
];

test('a user that contradicts the layout keeps the book from being live, and is named', async ({
  onTestFinished,
}) => {
  const scene = await world();
  onTestFinished(() => scene.stop());
  const { chain, nodes, service } = scene;
  chain.stopLife();
  const written = [...chain.accounts.values()].find(({ write }) => {
    const data = write?.data;
    return data?.length === USER_BYTES && data[ORDER.at + ORDER.status] === 1;
  })?.write;
  if (written == null) throw new Error('no user has an order in the first slot');
  const { pubkey, owner } = written;
  const cut = async (data: Buffer): Promise<void> => {
    const from = service.states.length;
    chain.setAccount(pubkey, writeOf({ pubkey, owner, data }));
    for (const node of nodes) node.cutConnections();
    await until(() => service.states.length > from);
  };
  for (const [name, change, said] of CONTRADICTIONS) {
    const data = Buffer.from(written.data);
    change(data);
    await cut(data);
    const from = service.states.length;
    await scene.run(60_000);
    expect(service.states.slice(from), name).not.toContain('live');
    const ready = await service.get('/ready');
    expect(ready.status, name).toBe(503);
    expect(ready.text, name).toMatch(said);
    expect(ready.text, name).toContain(`LAYOUT_MISMATCH: user account ${pubkey} contradicts`);
    await cut(written.data);
    await until(() => service.states.at(-1) === 'live');
  }
});
