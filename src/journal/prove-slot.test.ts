/** Services that read one chain in different ways have equal states, slot by slot; a changed lot is found. */
import { afterEach, expect, test } from 'vitest';
import { Engine } from '../engine/engine.js';
import type { OrderHash } from '../engine/market-hashes.js';
import { LAYOUTS } from '../sim/bytes/generated/layout.js';
import { PROGRAM_ID } from '../sim/bytes/keys.js';
import { type AccountWrite, MarketSimulator } from '../sim/market/market-simulator.js';
import { Random } from '../sim/random.js';
import { proveOrders, proveSlot } from './prove-slot.js';
import { readSegments } from './store/segment-index.js';
import { cleanUp, JournalRig, newFolder } from './testing.js';

const { ORDER, USER } = LAYOUTS.drift;

/** Changed lots: a hundred in the long form. */
const LOTS = Number(process.env['PROVED_LOTS'] ?? 3);
const SLOTS = 12;
const START_SLOT = 350_000_000;
const START_S = 1_750_000_000;
const ORDER_OPEN = 1;

afterEach(cleanUp);

type Chain = readonly (readonly AccountWrite[])[];

function scriptedChain(seed: number): Chain {
  const life = new MarketSimulator({ seed, makers: 8, statusChanges: 'some' });
  return Array.from({ length: SLOTS }, (_, index) => {
    const clock = { slot: START_SLOT + index, unixSeconds: START_S + index };
    const steps =
      index === 0 ? [life.createGenesis(clock)] : [1, 2, 3].map(() => life.nextStep(clock).writes);
    return [...new Map(steps.flat().map((write) => [write.pubkey, write])).values()];
  });
}

/** A service that is notified of each write, in one turn per slot. */
class NotifiedBook {
  readonly engine = new Engine({ programId: PROGRAM_ID, epoch: 'notified' });
  readonly chain: Chain;
  index = 0;

  constructor(chain: Chain) {
    this.chain = chain;
    this.engine.turnLog.start();
    this.engine.setState('live');
  }

  get slot(): number {
    return START_SLOT + this.index;
  }

  step(): void {
    for (const write of this.chain[this.index] ?? []) this.push(write, this.slot);
    this.endSlot();
  }

  push({ pubkey, owner, data }: AccountWrite, slot: number): void {
    const text = data.toString('base64');
    this.engine.push({ pubkey, owner, slot, data: text, encoding: 'base64' });
  }

  endSlot(): void {
    this.endTurn();
    this.index += 1;
  }

  endTurn(): void {
    this.engine.setClock(this.slot, START_S + this.index);
    this.engine.endTurn((START_S + this.index) * 1_000);
  }
}

/**
 * A service that receives the same in another order, in several turns, with duplicates and delays,
 * and partly by snapshots.
 */
class ShuffledBook extends NotifiedBook {
  readonly #random: Random;
  /** Writes of the last slot that the service receives in this one. */
  #late: AccountWrite[] = [];

  constructor(chain: Chain, seed: number) {
    super(chain);
    this.#random = new Random(seed);
  }

  async stepShuffled(): Promise<void> {
    const { slot, index } = this;
    for (const write of this.#late.splice(0)) this.push(write, slot - 1);
    const isRead = index > 0 && this.#random.oneIn(3);
    const writes = [...(this.chain[index] ?? [])].filter((write) => !isRead || !isUser(write));
    while (writes.length > 0) {
      // At the start a feed reads oracles after the markets that name them.
      const at = index === 0 ? 0 : this.#random.nextBelow(writes.length);
      const [write] = writes.splice(at, 1);
      const isLate = index > 0 && index < SLOTS - 1 && !isRead && this.#random.oneIn(4);
      if (write !== undefined && isLate) this.#late.push(write);
      else if (write !== undefined) this.push(write, slot);
      if (this.#random.oneIn(4)) this.endTurn();
    }
    if (isRead) await this.#readSnapshot();
    // A repeated notification changes nothing.
    const again = isRead ? undefined : this.chain[index]?.find(isUser);
    if (again !== undefined) this.push(again, slot);
    this.endSlot();
  }

  async #readSnapshot(): Promise<void> {
    const last = new Map(
      this.chain
        .slice(0, this.index + 1)
        .flat()
        .map((write) => [write.pubkey, write]),
    );
    const value = [...last.values()].filter(isUser).map(({ pubkey, owner, data }) => ({
      pubkey,
      account: { lamports: 1, data: [data.toString('base64'), 'base64'], owner, rentEpoch: 0 },
    }));
    const body = { jsonrpc: '2.0', id: 1, result: { context: { slot: this.slot }, value } };
    const snapshot = await this.engine.decodeSnapshot(Buffer.from(JSON.stringify(body)));
    this.engine.beginSnapshot(snapshot);
    this.engine.applySnapshot(snapshot, 0, value.length);
    this.engine.endSnapshot();
    this.endTurn();
  }
}

function isUser({ data }: AccountWrite): boolean {
  return data.length === USER.size;
}

/** The journals of two services, one of which may read another chain. */
async function twoJournals(chain: Chain, other: Chain, seed: number) {
  const [folder, otherFolder] = [newFolder(), newFolder()];
  const notified = new NotifiedBook(chain);
  const shuffled = new ShuffledBook(other, seed);
  const rigs = [
    new JournalRig(notified, { folder }),
    new JournalRig(shuffled, { folder: otherFolder }),
  ] as const;
  for (let index = 0; index < SLOTS; index += 1) {
    notified.step();
    await shuffled.stepShuffled();
    for (const rig of rigs) await rig.flush();
  }
  for (const rig of rigs) await rig.service.stop();
  return { folder, otherFolder, engine: notified.engine };
}

/** The location of a slot, in a journal of one segment. */
function placeOf(folder: string, slot: number) {
  const [segment] = readSegments(folder, PROGRAM_ID).segments;
  if (segment === undefined) throw new Error('the journal has no segment');
  return { folder, segment, slot };
}

function chainHashes(folder: string, slot: number): readonly string[] {
  return proveSlot(placeOf(folder, slot)).markets.map(({ market, chain }) => `${market} ${chain}`);
}

test('services that read one chain by different ways show equal hashes at each slot', async () => {
  for (const seed of [11, 12]) {
    const chain = scriptedChain(seed);
    const { folder, otherFolder, engine } = await twoJournals(chain, chain, seed);
    const seen = new Set<string>();
    for (let slot = START_SLOT; slot < START_SLOT + SLOTS; slot += 1) {
      const hashes = chainHashes(folder, slot);
      expect(hashes, `seed ${seed}, slot ${slot}`).toEqual(chainHashes(otherFolder, slot));
      expect(hashes).toHaveLength(engine.markets().length);
      seen.add(hashes.join());
    }
    expect(seen.size).toBe(SLOTS);
  }
}, 60_000);

test(
  'one changed lot shows at its slot, and names the order',
  async () => {
    for (let seed = 1; seed <= LOTS; seed += 1) {
      const chain = scriptedChain(seed);
      const { spoilt, maker, orderId, index } = withOneLotLess(chain, new Random(seed));
      const { folder, otherFolder } = await twoJournals(chain, spoilt, seed);
      const slot = START_SLOT + index;
      expect(chainHashes(folder, slot - 1)).toEqual(chainHashes(otherFolder, slot - 1));
      const [ours, theirs] = [folder, otherFolder].map(
        (one) => proveSlot(placeOf(one, slot)).markets,
      );
      const different = (ours ?? []).filter(({ chain: hash }, at) => hash !== theirs?.[at]?.chain);
      expect(different, `seed ${seed}`).toHaveLength(1);
      const [{ market = '' } = {}] = different;
      const lists = [folder, otherFolder].map(
        (one) => proveOrders(placeOf(one, slot), market) ?? [],
      );
      const found = differingOrders(lists[0] ?? [], lists[1] ?? []);
      expect(found, `seed ${seed}`).toEqual([`${maker} ${orderId}`]);
    }
  },
  120_000 + LOTS * 5_000,
);

/** A chain that differs by one lot in one order of one write. */
function withOneLotLess(chain: Chain, random: Random) {
  const candidates = chain.flatMap((writes, index) =>
    index === 0
      ? []
      : writes
          .filter(isUser)
          .flatMap((write) => openOrdersOf(write).map((at) => ({ write, index, at }))),
  );
  const chosen = candidates[random.nextBelow(candidates.length)];
  if (chosen === undefined) throw new Error('no order is written');
  const { write, index, at } = chosen;
  const data = Buffer.from(write.data);
  const field = at + ORDER.baseAssetAmount;
  data.writeBigUInt64LE(data.readBigUInt64LE(field) + 1n, field);
  const spoilt = chain.map((writes, slot) =>
    slot === index ? writes.map((one) => (one === write ? { ...write, data } : one)) : writes,
  );
  return { spoilt, index, maker: write.pubkey, orderId: data.readUInt32LE(at + ORDER.orderId) };
}

function openOrdersOf({ data }: AccountWrite): readonly number[] {
  return Array.from({ length: ORDER.count }, (_, index) => USER.orders + index * ORDER.size).filter(
    (at) => data.readUInt8(at + ORDER.status) === ORDER_OPEN,
  );
}

function differingOrders(
  left: readonly OrderHash[],
  right: readonly OrderHash[],
): readonly string[] {
  const nameOf = ({ maker, orderId, hash }: OrderHash): string => `${maker} ${orderId} ${hash}`;
  const [ours, theirs] = [new Set(left.map(nameOf)), new Set(right.map(nameOf))];
  const alone = [...left, ...right].filter(
    (one) => ours.has(nameOf(one)) !== theirs.has(nameOf(one)),
  );
  return [...new Set(alone.map(({ maker, orderId }) => `${maker} ${orderId}`))];
}
