/** Encodes trades as bytes, each relative to the previous one. */

import { candlePointOf } from '../candles/rules.js';
import { scaledBase } from '../model/amounts.js';
import type { TradeRow } from '../model/records.js';
import type { ByteWriter } from './byte-writer.js';
import type { StreamTrade } from './stream-trade.js';

/** Flag bits of a trade, as docs/binary.md lists them. */
const FLAGS = {
  ...{ sameTransaction: 1 << 0, fillRecordId: 1 << 1, price: 1 << 2, base: 1 << 3 },
  ...{ filler: 1 << 4, quote: 1 << 5, surplus: 1 << 6, fillerReward: 1 << 7 },
  ...{ referrerReward: 1 << 8, spotFee: 1 << 9 },
};
/** The first flag bit of the taker's and of the maker's side. */
const SIDE_BITS = { taker: 10, maker: 18 } as const;
const SIDE_FLAGS = {
  ...{ account: 1 << 0, direction: 1 << 1, isShort: 1 << 2, orderId: 1 << 3, fee: 1 << 4 },
  ...{ orderBase: 1 << 5, filledBase: 1 << 6, filledQuote: 1 << 7 },
};

interface SideValues {
  readonly account: Uint8Array | null;
  readonly direction: 'long' | 'short' | null;
  readonly orderId: number | null;
  readonly fee: bigint | null;
  readonly orderBase: bigint | null;
  readonly filledBase: bigint | null;
  readonly filledQuote: bigint | null;
}

/** The members of a trade that differ from the stored ones. */
interface ShownTrade {
  readonly price: bigint | null;
  readonly base: bigint | null;
  readonly taker: SideValues;
  readonly maker: SideValues;
}

/** The trade before the first one. */
const NONE = { txSig: '', slot: 0, ts: 0, fillRecordId: 0n, price: 0n, actionExplanation: '' };

/** Writes the trades of one message. */
export class TradeBytes {
  readonly #out: ByteWriter;
  #before: typeof NONE = NONE;

  constructor(out: ByteWriter) {
    this.#out = out;
  }

  writeTrade(trade: StreamTrade): void {
    const { row, keys } = trade;
    const shown = shownOf(trade);
    const { price, base, taker, maker } = shown;
    const { txSig, slot, ts } = row;
    const before = this.#before;
    const isSame = txSig === before.txSig && slot === before.slot && ts === before.ts;
    this.#out.writeVarint(flagsOf(row, shown) | (isSame ? FLAGS.sameTransaction : 0));
    if (!isSame) {
      this.#out.writeRaw(keys.txSig);
      this.#out.writeSigned(slot - before.slot);
      this.#out.writeSigned(ts - before.ts);
    }
    this.#writeFill(trade, shown);
    const filled = { base: base ?? 0n, quote: row.quoteAssetAmountFilled ?? 0n };
    for (const side of [taker, maker]) this.#writeSide(side, filled);
    this.#before = {
      ...{ txSig, slot, ts, actionExplanation: row.actionExplanation },
      fillRecordId: row.fillRecordId ?? before.fillRecordId,
      price: price ?? before.price,
    };
  }

  #writeFill({ row, keys }: StreamTrade, { price, base }: ShownTrade): void {
    const [out, before] = [this.#out, this.#before];
    const { actionExplanation, fillRecordId } = row;
    out.writeVarint(row.index);
    out.writeByte(row.bitFlags);
    out.writeText(actionExplanation === before.actionExplanation ? '' : actionExplanation);
    if (fillRecordId !== null) out.writeSigned(fillRecordId - before.fillRecordId);
    if (price !== null) out.writeSigned(price - before.price);
    out.writeSigned(row.oraclePrice - (price ?? 0n));
    if (base !== null) out.writeSigned(base);
    if (keys.filler !== null) out.writeKey(keys.filler);
    const amounts = [
      ...[row.quoteAssetAmountFilled, row.quoteAssetAmountSurplus, row.fillerReward],
      ...[row.referrerReward, row.spotFulfillmentMethodFee],
    ];
    for (const amount of amounts) if (amount !== null) out.writeSigned(amount);
  }

  #writeSide(side: SideValues, filled: { readonly base: bigint; readonly quote: bigint }): void {
    const out = this.#out;
    if (side.account !== null) out.writeKey(side.account);
    if (side.orderId !== null) out.writeVarint(side.orderId);
    if (side.fee !== null) out.writeSigned(side.fee);
    if (side.orderBase !== null) out.writeSigned(side.orderBase - filled.base);
    if (side.filledBase !== null) out.writeSigned(side.filledBase - filled.base);
    if (side.filledQuote !== null) out.writeSigned(side.filledQuote - filled.quote);
  }
}

function flagsOf(row: TradeRow, { price, base, taker, maker }: ShownTrade): number {
  const own = bitsOf(FLAGS, {
    ...{ fillRecordId: row.fillRecordId, price, base, filler: row.filler },
    ...{ quote: row.quoteAssetAmountFilled, surplus: row.quoteAssetAmountSurplus },
    ...{ fillerReward: row.fillerReward, referrerReward: row.referrerReward },
    spotFee: row.spotFulfillmentMethodFee,
  });
  const [takerFlags, makerFlags] = [sideFlagsOf(taker), sideFlagsOf(maker)];
  return own | (takerFlags << SIDE_BITS.taker) | (makerFlags << SIDE_BITS.maker);
}

function sideFlagsOf({ direction, ...values }: SideValues): number {
  const isShort = direction === 'short' ? SIDE_FLAGS.isShort : 0;
  return bitsOf(SIDE_FLAGS, { ...values, direction }) | isShort;
}

function bitsOf<Name extends string>(
  flags: Readonly<Record<Name, number>>,
  values: Readonly<Partial<Record<Name, unknown>>>,
): number {
  let bits = 0;
  for (const [name, bit] of Object.entries<number>(flags)) {
    if ((values[name as Name] ?? null) !== null) bits |= bit;
  }
  return bits;
}

/** Base is shown at 1e9 in every market. */
function shownOf({ row, keys, market }: StreamTrade): ShownTrade {
  const scaled = (amount: bigint | null): bigint | null =>
    amount === null ? null : scaledBase(amount, market.decimals);
  return {
    price: candlePointOf(row, market.decimals)?.price ?? null,
    base: scaled(row.baseAssetAmountFilled),
    taker: sideOf(row, 'taker', { account: keys.taker, scaled }),
    maker: sideOf(row, 'maker', { account: keys.maker, scaled }),
  };
}

function sideOf(
  row: TradeRow,
  side: keyof typeof SIDE_BITS,
  {
    account,
    scaled,
  }: {
    readonly account: Uint8Array | null;
    readonly scaled: (amount: bigint | null) => bigint | null;
  },
): SideValues {
  return {
    ...{ account, direction: row[`${side}OrderDirection`] },
    ...{ orderId: row[`${side}OrderId`], fee: row[`${side}Fee`] },
    orderBase: scaled(row[`${side}OrderBaseAssetAmount`]),
    filledBase: scaled(row[`${side}OrderCumulativeBaseAssetAmountFilled`]),
    filledQuote: row[`${side}OrderCumulativeQuoteAssetAmountFilled`],
  };
}
