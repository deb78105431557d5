import { Direction, MarketType, OrderActionExplanation } from '../../src/sim/bytes/chain-enums.js';
import {
  type FilledOrder,
  type FillRecord,
  fillRecordBytes,
} from '../../src/sim/bytes/event-record.js';
import { LAYOUTS } from '../../src/sim/bytes/generated/layout.js';
import { address, keyOf } from '../../src/sim/bytes/keys.js';
import { PERP_PRESETS, SPOT_PRESETS } from '../../src/sim/bytes/market-presets.js';
import { ChainRpc } from '../../src/sim/chain/chain-rpc.js';
import type { LoggedEvent, Patch } from '../../src/sim/chain/program-call.js';
import { TransactionSender } from '../../src/sim/chain/transaction-sender.js';
import { Random } from '../../src/sim/random.js';
import { slotsOf } from './transaction-slots.js';

const { PERP_MARKET, SPOT_MARKET } = LAYOUTS.drift;

/** A market into which fills are sent. */
interface FillMarket {
  readonly marketType: MarketType;
  readonly marketIndex: number;
  /** About where its prices are, at 1e6. */
  readonly price: bigint;
  readonly step: bigint;
}

/** The options of the fills; equal options give equal fills. */
interface FillOptions {
  readonly seed: number;
  /** All markets of the presets when it is not given. */
  readonly markets?: readonly FillMarket[];
  /** The second of the fills; that of this machine when it is not given. */
  readonly clock?: () => number;
}

/** A fill that was sent, as it must come back. */
export interface SentFill {
  readonly signature: string;
  /** The slot in which it took effect. */
  readonly slot: number;
  /** Its place among the program's events of its transaction. */
  readonly index: number;
  readonly fill: FillRecord;
}

/** One in so many transactions has two fills, as when a maker and the AMM share a taker. */
const JIT_ONE_IN = 6;
/** One in so many fills is against the AMM alone. */
const AMM_ONE_IN = 6;
const BASE_STEPS_MAX = 500;
const PRICE_STEPS = 2_000;

/** The markets of the simulated chain that have a book. */
const FILL_MARKETS: readonly FillMarket[] = [
  ...PERP_PRESETS.map((preset) => ({
    marketType: MarketType.Perp,
    marketIndex: preset.marketIndex,
    price: preset.startPrice,
    step: preset.step,
  })),
  ...SPOT_PRESETS.filter(({ ordersEnabled }) => ordersEnabled).map((preset) => ({
    marketType: MarketType.Spot,
    marketIndex: preset.marketIndex,
    price: preset.startPrice,
    step: preset.step,
  })),
];

/**
 * Sends fills as true transactions to a local chain, with contents from a seed: of several markets,
 * with and without a maker, in both forms of logging, sometimes two in a transaction. Fill ids are
 * contiguous in each market; where the chain has the market's account, they go on from it and the
 * account counts them, as on the real chain. No other account changes.
 */
export class FillSender {
  readonly #rpc: ChainRpc;
  readonly #sender: TransactionSender;
  readonly #random: Random;
  readonly #markets: readonly MarketState[];
  readonly #clock: () => number;
  readonly #users: readonly string[];

  private constructor(parts: {
    readonly rpc: ChainRpc;
    readonly sender: TransactionSender;
    readonly markets: readonly MarketState[];
    readonly options: FillOptions;
  }) {
    const { seed, clock = () => Math.floor(Date.now() / 1_000) } = parts.options;
    this.#rpc = parts.rpc;
    this.#sender = parts.sender;
    this.#markets = parts.markets;
    this.#clock = clock;
    this.#random = new Random(seed);
    this.#users = Array.from({ length: 12 }, () =>
      keyOf(Uint8Array.from({ length: 32 }, () => this.#random.nextBelow(256))),
    );
  }

  /** Writes the program to the chain, and reads where its markets stand. */
  static async start(
    chain: { readonly rpcUrl: string },
    options: FillOptions,
  ): Promise<FillSender> {
    const rpc = new ChainRpc(chain.rpcUrl, { connections: 1 });
    const sender = await TransactionSender.deployProgram(rpc);
    const markets: MarketState[] = [];
    for (const market of options.markets ?? FILL_MARKETS) {
      markets.push(await stateOf(rpc, market));
    }
    return new FillSender({ rpc, sender, markets, options });
  }

  /** Sends so many fills one after the other, as fast as the chain takes them. */
  async send(count: number): Promise<SentFill[]> {
    const sent: Omit<SentFill, 'slot'>[] = [];
    while (sent.length < count) {
      const fills = this.#nextFills(count - sent.length);
      const signature = await this.#sender.sendCall({
        patches: this.#patches(fills),
        events: fills.map((fill) => this.#logged(fill)),
      });
      fills.forEach((fill, index) => {
        sent.push({ signature, index, fill });
      });
    }
    const slots = await slotsOf(
      this.#rpc,
      sent.map(({ signature }) => signature),
    );
    return sent.map((one) => ({ ...one, slot: slots.get(one.signature) ?? 0 }));
  }

  /** Ends the connection to the chain. */
  close(): void {
    this.#rpc.close();
  }

  #nextFills(room: number): FillRecord[] {
    const market = this.#random.pickOne(this.#markets);
    if (market === undefined) throw new Error('fills need a market');
    const isPerp = market.marketType === MarketType.Perp;
    if (isPerp && room >= 2 && this.#random.oneIn(JIT_ONE_IN)) {
      const { FilledWithAmmJit, FilledWithMatchJit } = OrderActionExplanation;
      return [this.#fill(market, FilledWithAmmJit), this.#fill(market, FilledWithMatchJit)];
    }
    const { FilledWithAmm, FilledWithMatch } = OrderActionExplanation;
    const byAmm = isPerp && this.#random.oneIn(AMM_ONE_IN);
    return [this.#fill(market, byAmm ? FilledWithAmm : FilledWithMatch)];
  }

  #fill(market: MarketState, actionExplanation: OrderActionExplanation): FillRecord {
    const random = this.#random;
    const base = market.step * BigInt(random.nextBetween(1, BASE_STEPS_MAX));
    const price =
      market.price + (market.price * BigInt(random.nextBetween(-9, 9))) / BigInt(PRICE_STEPS);
    const quote = (base * price) / 1_000_000_000n;
    const byAmm =
      actionExplanation === OrderActionExplanation.FilledWithAmm ||
      actionExplanation === OrderActionExplanation.FilledWithAmmJit;
    const direction = random.oneIn(2) ? Direction.Long : Direction.Short;
    const opposite = direction === Direction.Long ? Direction.Short : Direction.Long;
    const takerFee = quote / 1_000n + 1n;
    return {
      ts: BigInt(this.#clock()),
      actionExplanation,
      marketIndex: market.marketIndex,
      marketType: market.marketType,
      filler: random.oneIn(8) ? undefined : this.#user(),
      fillerReward: random.oneIn(8) ? undefined : takerFee / 10n,
      fillRecordId: market.nextFillRecordId++,
      baseAssetAmountFilled: base,
      quoteAssetAmountFilled: quote,
      takerFee,
      makerFee: byAmm ? undefined : -(quote / 5_000n),
      referrerReward: random.oneIn(9) ? Number(takerFee % 1_000n) : undefined,
      quoteAssetAmountSurplus: byAmm ? BigInt(random.nextBetween(-500, 500)) : undefined,
      spotFulfillmentMethodFee: undefined,
      taker: this.#order(direction, base, quote),
      maker: byAmm ? undefined : this.#order(opposite, base, quote),
      oraclePrice: market.price + BigInt(random.nextBetween(-1_000, 1_000)),
      bitFlags: random.oneIn(5) ? 1 : 0,
    };
  }

  #order(direction: Direction, base: bigint, quote: bigint): FilledOrder {
    const random = this.#random;
    return {
      user: this.#user(),
      orderId: random.nextBelow(1_000_000),
      direction,
      baseAssetAmount: base * BigInt(1 + random.nextBelow(3)),
      cumulativeBaseAssetAmountFilled: base,
      cumulativeQuoteAssetAmountFilled: quote,
      existingQuoteEntryAmount: random.oneIn(4) ? quote / 2n : undefined,
      existingBaseAssetAmount: random.oneIn(9) ? base / 3n : undefined,
    };
  }

  #user(): string {
    const user = this.#random.pickOne(this.#users);
    if (user === undefined) throw new Error('there are users');
    return user;
  }

  #patches(fills: readonly FillRecord[]): Patch[] {
    const patches: Patch[] = [];
    for (const market of this.#markets) {
      const isFilled = fills.some((fill) => isOf(fill, market));
      if (!isFilled || market.account === undefined) continue;
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(market.nextFillRecordId);
      patches.push({ pubkey: market.account, offset: idOffset(market), bytes });
    }
    return patches;
  }

  #logged(fill: FillRecord): LoggedEvent {
    // The program logs fills of orders by emit_stack, those of triggers and liquidations by emit!.
    return { form: this.#random.oneIn(5) ? 'data' : 'base64', bytes: fillRecordBytes(fill) };
  }
}

interface MarketState extends FillMarket {
  /** Undefined when the chain does not have it. */
  readonly account: string | undefined;
  nextFillRecordId: bigint;
}

async function stateOf(rpc: ChainRpc, market: FillMarket): Promise<MarketState> {
  const { marketType, marketIndex } = market;
  const isPerp = marketType === MarketType.Perp;
  const pubkey = isPerp ? address.perpMarket(marketIndex) : address.spotMarket(marketIndex);
  const config = { encoding: 'base64', commitment: 'processed' };
  const { value } = await rpc.call<{ value: { data: [string, string] } | null }>('getAccountInfo', [
    pubkey,
    config,
  ]);
  if (value === null) return { ...market, account: undefined, nextFillRecordId: 1n };
  const data = Buffer.from(value.data[0], 'base64');
  return { ...market, account: pubkey, nextFillRecordId: data.readBigUInt64LE(idOffset(market)) };
}

function idOffset({ marketType }: FillMarket): number {
  return marketType === MarketType.Perp
    ? PERP_MARKET.nextFillRecordId
    : SPOT_MARKET.nextFillRecordId;
}

function isOf(fill: FillRecord, market: FillMarket): boolean {
  return fill.marketType === market.marketType && fill.marketIndex === market.marketIndex;
}
