import { PublicKey } from '@solana/web3.js';
import { lazerOracleBytes } from '../../src/sim/bytes/accounts.js';
import { Direction, SpotBalanceType } from '../../src/sim/bytes/generated/enums.js';
import { LAYOUTS } from '../../src/sim/bytes/generated/layout.js';
import { address, keyOf } from '../../src/sim/bytes/keys.js';
import { emptyOrder, type OrderFields, userBytes } from '../../src/sim/bytes/user-account.js';
import { SteppedDemo } from './stepped-demo.js';

const { PERP_MARKET } = LAYOUTS.drift;

/** The scene's market, whose book contains only a test's orders: the AMM is paused. */
export const SCENE = {
  name: 'SCENE-PERP',
  marketIndex: 78,
  channel: 'orderbook_perp_78',
  /** The oracle's price at the start, at 1e6. */
  oracle: 100_000_000n,
  tick: 100n,
} as const;

/** One unit of base. */
export const BASE = 1_000_000_000n;

/** `PerpOperation::AmmFill`. */
const AMM_FILL_PAUSED = 2;

/** A feed that no other market of the simulated chain has. */
const FEED_ID = 4_343;
const PERP_PRESET = address.perpMarket(0);

/** An order as a test writes it; the rest is a plain limit order of this slot. */
type SceneOrder = Partial<OrderFields> & Pick<OrderFields, 'price'>;

/** A real chain that moves when a test says so, with a perpetual market that is the test's alone. */
export class SceneChain {
  private constructor(readonly demo: SteppedDemo) {}

  /** Starts the chain with the market and without orders. */
  static async start(slotTimeMs = 200): Promise<SceneChain> {
    const demo = await SteppedDemo.start({ seed: 78, makers: 12, slotTimeMs });
    const chain = new SceneChain(demo);
    const market = (await demo.accounts()).find(({ pubkey }) => pubkey === PERP_PRESET);
    if (market === undefined) throw new Error('the chain has no first perpetual market');
    await demo.writeBytes(address.perpMarket(SCENE.marketIndex), marketBytes(market.data));
    await chain.setOracle(SCENE.oracle);
    return chain;
  }

  /** The user account that `place` writes for this seed. */
  maker(seed: number): string {
    return address.user({ authority: authorityOf(seed), subAccountId: 0 });
  }

  /** Replaces all orders of a user; ids count from 1 in the order given. */
  async place(seed: number, ...orders: readonly SceneOrder[]): Promise<void> {
    await this.demo.writeBytes(this.maker(seed), this.userBytes(seed, ...orders));
  }

  /** The account of a user with these orders, which `place` writes. */
  userBytes(seed: number, ...orders: readonly SceneOrder[]): Buffer {
    const slot = BigInt(this.demo.clock.slot);
    const filled = orders.map((order, index) => ({
      ...emptyOrder(),
      slot,
      marketIndex: SCENE.marketIndex,
      baseAssetAmount: BASE,
      orderId: index + 1,
      ...order,
    }));
    return userBytes({
      authority: authorityOf(seed),
      name: `Scene ${seed}`,
      subAccountId: 0,
      status: 0,
      idle: false,
      lastActiveSlot: slot,
      nextOrderId: orders.length + 1,
      orders: filled,
      perpPositions: [
        { marketIndex: SCENE.marketIndex, baseAssetAmount: 2n * BASE, quoteAssetAmount: 0n },
      ],
      spotPositions: [
        { marketIndex: 0, scaledBalance: BASE, balanceType: SpotBalanceType.Deposit },
      ],
    });
  }

  /** A new price of the market's oracle, at 1e6, posted now. */
  async setOracle(price: bigint): Promise<void> {
    const { slot, unixSeconds } = this.demo.clock;
    const data = lazerOracleBytes({
      price: price * 100n,
      conf: price / 100n,
      exponent: -8,
      postedSlot: BigInt(slot),
      publishTimeUs: BigInt(unixSeconds) * 1_000_000n,
    });
    await this.demo.writeBytes(address.pythLazerOracle(FEED_ID), data);
  }

  async stop(): Promise<void> {
    await this.demo.stop();
  }
}

/** A bid of one unit. */
export function bid(price: bigint, more: Partial<OrderFields> = {}): SceneOrder {
  return { price, direction: Direction.Long, ...more };
}

/** An ask of one unit. */
export function ask(price: bigint, more: Partial<OrderFields> = {}): SceneOrder {
  return { price, direction: Direction.Short, ...more };
}

function authorityOf(seed: number): string {
  return keyOf(new Uint8Array(32).fill(seed));
}

/** The bytes of another perpetual market, with an identity, an oracle and prices of its own. */
function marketBytes(from: Buffer): Buffer {
  const data = Buffer.from(from);
  data[PERP_MARKET.pausedOperations] = AMM_FILL_PAUSED;
  data.set(new PublicKey(address.perpMarket(SCENE.marketIndex)).toBytes(), PERP_MARKET.pubkey);
  data.set(new PublicKey(address.pythLazerOracle(FEED_ID)).toBytes(), PERP_MARKET.oracle);
  data.write(SCENE.name.padEnd(32), PERP_MARKET.name, 'latin1');
  data.writeUInt16LE(SCENE.marketIndex, PERP_MARKET.marketIndex);
  for (const at of [PERP_MARKET.lastOraclePrice, PERP_MARKET.lastOraclePriceTwap]) {
    data.writeBigInt64LE(SCENE.oracle, at);
  }
  // No price of the market makers' own oracle.
  data.writeBigInt64LE(0n, PERP_MARKET.mmOraclePrice);
  data.writeBigUInt64LE(0n, PERP_MARKET.mmOracleSlot);
  data.writeBigUInt64LE(0n, PERP_MARKET.mmOracleSequenceId);
  return data;
}
