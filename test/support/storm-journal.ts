/** A journal of an oracle that moves a thousand times a second under a book that floats on it. */
import { lazerOracleBytes } from '../../src/sim/bytes/accounts.js';
import { Direction, SpotBalanceType } from '../../src/sim/bytes/generated/enums.js';
import { address, keyOf, PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { emptyOrder, type OrderFields, userBytes } from '../../src/sim/bytes/user-account.js';
import type {
  AccountWrite,
  MarketSimulator,
  SimulatorClock,
} from '../../src/sim/market/market-simulator.js';
import { Random } from '../../src/sim/random.js';
import { LifeJournal } from './life-journal.js';

const BASE = 1_000_000_000n;
/** Slots of a user account, all taken. */
const ORDERS = 32;
const EXPONENT = -8;

/** The options of a storm. */
interface StormOptions {
  readonly seed: number;
  /** Users whose orders all have offsets to the oracle of SOL-PERP. */
  readonly users: number;
  readonly ticks: number;
  readonly ticksPerSecond: number;
  /** Time before the first tick and after the last. */
  readonly leadMs: number;
  readonly calmMs: number;
}

/** Writes a storm: one tick a turn, each of which moves every price of the book. */
export function writeStorm(folder: string, options: StormOptions): void {
  const { seed, users, ticks, ticksPerSecond, leadMs, calmMs } = options;
  const journal = LifeJournal.begin(folder, seed);
  const { life } = journal;
  journal.turn(Array.from({ length: users }, (_, i) => floatingUser(i, journal.clock)));
  journal.pause(leadMs);
  const random = new Random(seed);
  for (let tick = 1; tick <= ticks; tick += 1) {
    journal.turn([movedOracle(life, random, journal.clock)]);
    journal.atMs += 1_000 / ticksPerSecond;
  }
  journal.pause(calmMs);
  journal.write();
}

function floatingUser(number: number, { slot }: SimulatorClock): AccountWrite {
  const authority = keyOf(new Uint8Array(32).fill(1 + (number % 250)));
  const subAccountId = Math.floor(number / 250);
  const orders = Array.from({ length: ORDERS }, (_, i) => floatingOrder(number, i, slot));
  const data = userBytes({
    authority,
    name: `Floating ${number}`,
    subAccountId,
    status: 0,
    idle: false,
    lastActiveSlot: BigInt(slot),
    nextOrderId: ORDERS + 1,
    orders,
    perpPositions: [{ marketIndex: 0, baseAssetAmount: 2n * BASE, quoteAssetAmount: 0n }],
    spotPositions: [{ marketIndex: 0, scaledBalance: BASE, balanceType: SpotBalanceType.Deposit }],
  });
  return { pubkey: address.user({ authority, subAccountId }), owner: PROGRAM_ID, data };
}

/** Bids and asks in turn, on prices of their own. */
function floatingOrder(number: number, i: number, slot: number): OrderFields {
  const isBid = i % 2 === 0;
  const away = 10_000 + (number * (ORDERS / 2) + (i >> 1)) * 100;
  return {
    ...emptyOrder(),
    slot: BigInt(slot),
    baseAssetAmount: BASE + BigInt(number * ORDERS + i) * 10_000_000n,
    orderId: i + 1,
    direction: isBid ? Direction.Long : Direction.Short,
    price: 0n,
    oraclePriceOffset: isBid ? -away : away,
    postOnly: true,
  };
}

function movedOracle(life: MarketSimulator, random: Random, clock: SimulatorClock): AccountWrite {
  const [market] = life.markets;
  if (market === undefined) throw new Error('Invariant: a life has markets');
  const { feed } = market;
  const ticks = random.nextBetween(-5, 5) || 1;
  feed.price += feed.tick * BigInt(ticks);
  const data = lazerOracleBytes({
    price: feed.price * 10n ** BigInt(-EXPONENT - 6),
    conf: feed.price / 100n,
    exponent: EXPONENT,
    postedSlot: BigInt(clock.slot),
    publishTimeUs: BigInt(clock.unixSeconds) * 1_000_000n,
  });
  return { pubkey: feed.pubkey, owner: PROGRAM_ID, data };
}
