/** The trades of a message, each written after the one before it. */
import { signatureText } from '../base58-text.js';
import type { Message } from '../fields.js';
import type { AddressTexts } from './address-texts.js';
import { changedBy, signedAmount } from './amounts.js';
import { type Amount, type ByteReader, LONG_BITS_MAX, tooLarge } from './byte-reader.js';
import { BASE_UNIT, decimalOf, QUOTE_UNIT, type Unit } from './decimals.js';
import { KeyReader, readOrderId } from './keys.js';

/** What a trade has, bit by bit; a side has the bits of `SIDE` from its first one on. */
const HAS = {
  ...{ sameTransaction: 1 << 0, fillRecordId: 1 << 1, price: 1 << 2, base: 1 << 3 },
  ...{ filler: 1 << 4, quote: 1 << 5, surplus: 1 << 6, fillerReward: 1 << 7 },
  ...{ referrerReward: 1 << 8, spotFee: 1 << 9 },
} as const;
const [TAKER_BIT, MAKER_BIT, BITS] = [10, 18, 26];
const SIDE = {
  ...{ account: 1 << 0, direction: 1 << 1, isShort: 1 << 2, orderId: 1 << 3, fee: 1 << 4 },
  ...{ orderBase: 1 << 5, filledBase: 1 << 6, filledQuote: 1 << 7 },
} as const;

const MARKET_TYPES = ['perp', 'spot'] as const;
const MARKET_INDEX_END = 2 ** 16;
const ID_END = 1n << BigInt(LONG_BITS_MAX);

/** Reads the trades of one message in their order. */
export class TradeReader {
  readonly #reader: ByteReader;
  readonly #keys: KeyReader;
  readonly #symbol: string;
  readonly #marketType: string;
  readonly #marketIndex: number;
  // Of the trade before.
  #txSig: string | undefined;
  #slot = 0;
  #ts = 0;
  #actionExplanation = '';
  #fillRecordId: Amount = 0;
  #price: Amount = 0;

  /** Reads the market, which stands before the first trade. */
  constructor(reader: ByteReader, symbol: string, addresses: AddressTexts) {
    const [marketType, marketIndex] = [MARKET_TYPES[reader.readByte()], reader.readVarint()];
    if (marketType === undefined || marketIndex >= MARKET_INDEX_END) throw tooLarge();
    this.#reader = reader;
    this.#keys = new KeyReader(reader, addresses);
    this.#symbol = symbol;
    this.#marketType = marketType;
    this.#marketIndex = marketIndex;
  }

  readTrade(): Message {
    const reader = this.#reader;
    const flags = reader.readVarint();
    if (flags >= 1 << BITS) throw tooLarge();
    this.#readTransaction((flags & HAS.sameTransaction) !== 0);
    const [txSigIndex, bitFlags] = [reader.readVarint(), reader.readByte()];
    const actionExplanation = this.#readExplanation();
    const fillRecordId = (flags & HAS.fillRecordId) === 0 ? null : this.#readId();
    const price = (flags & HAS.price) === 0 ? null : this.#readPrice();
    const oraclePrice = changedBy(price ?? 0, signedAmount(reader.readWide()));
    const base = this.#readAmount(flags & HAS.base);
    const filler = (flags & HAS.filler) === 0 ? null : this.#keys.readKey();
    const quote = this.#readAmount(flags & HAS.quote);
    const surplus = this.#readAmount(flags & HAS.surplus);
    const fillerReward = this.#readAmount(flags & HAS.fillerReward);
    const referrerReward = this.#readAmount(flags & HAS.referrerReward);
    const spotFee = this.#readAmount(flags & HAS.spotFee);
    const filled = { base: base ?? 0, quote: quote ?? 0 };
    const taker = this.#readSide((flags >> TAKER_BIT) & 0xff, filled);
    const maker = this.#readSide((flags >> MAKER_BIT) & 0xff, filled);
    return {
      ts: this.#ts,
      txSig: this.#txSig,
      txSigIndex,
      slot: this.#slot,
      fillRecordId,
      marketIndex: this.#marketIndex,
      marketType: this.#marketType,
      symbol: this.#symbol,
      action: 'fill',
      actionExplanation,
      price: decimalOrNull(price, QUOTE_UNIT),
      baseAssetAmountFilled: decimalOrNull(base, BASE_UNIT),
      quoteAssetAmountFilled: decimalOrNull(quote, QUOTE_UNIT),
      quoteAssetAmountSurplus: decimalOrNull(surplus, QUOTE_UNIT),
      oraclePrice: decimalOf(oraclePrice, QUOTE_UNIT),
      filler,
      referrerReward: decimalOrNull(referrerReward, QUOTE_UNIT),
      taker: taker.account,
      takerOrderId: taker.orderId,
      takerOrderDirection: taker.direction,
      takerFee: taker.fee,
      takerOrderBaseAssetAmount: taker.orderBase,
      takerOrderCumulativeBaseAssetAmountFilled: taker.filledBase,
      takerOrderCumulativeQuoteAssetAmountFilled: taker.filledQuote,
      maker: maker.account,
      makerOrderId: maker.orderId,
      makerOrderDirection: maker.direction,
      makerFee: maker.fee,
      makerOrderBaseAssetAmount: maker.orderBase,
      makerOrderCumulativeBaseAssetAmountFilled: maker.filledBase,
      makerOrderCumulativeQuoteAssetAmountFilled: maker.filledQuote,
      fillerReward: decimalOrNull(fillerReward, QUOTE_UNIT),
      makerRebate: maker.fee,
      spotFulfillmentMethodFee: decimalOrNull(spotFee, QUOTE_UNIT),
      bitFlags,
    };
  }

  #readTransaction(isSame: boolean): void {
    const reader = this.#reader;
    if (!isSame) {
      this.#txSig = signatureText(reader.readSignature());
      this.#slot = reader.readFrom(this.#slot);
      this.#ts = reader.readFrom(this.#ts);
    }
    if (this.#txSig === undefined) throw new RangeError('the first trade has no transaction');
  }

  #readExplanation(): string {
    const text = this.#reader.readText();
    if (text !== '') this.#actionExplanation = text;
    if (this.#actionExplanation === '') throw new RangeError('the first trade explains nothing');
    return this.#actionExplanation;
  }

  #readId(): string {
    const id = changedBy(this.#fillRecordId, signedAmount(this.#reader.readWide()));
    if (id < 0 || id >= ID_END) throw tooLarge();
    this.#fillRecordId = id;
    return String(id);
  }

  #readPrice(): Amount {
    this.#price = changedBy(this.#price, signedAmount(this.#reader.readWide()));
    return this.#price;
  }

  #readAmount(isThere: number): Amount | null {
    return isThere === 0 ? null : signedAmount(this.#reader.readWide());
  }

  #readSide(flags: number, filled: { readonly base: Amount; readonly quote: Amount }) {
    const has = (flag: number): boolean => (flags & flag) !== 0;
    const readFrom = (before: Amount, unit: Unit) =>
      decimalOf(changedBy(before, signedAmount(this.#reader.readWide())), unit);
    return {
      direction: directionOf(has(SIDE.direction), has(SIDE.isShort)),
      account: has(SIDE.account) ? this.#keys.readKey() : null,
      orderId: has(SIDE.orderId) ? readOrderId(this.#reader) : null,
      fee: has(SIDE.fee) ? readFrom(0, QUOTE_UNIT) : null,
      orderBase: has(SIDE.orderBase) ? readFrom(filled.base, BASE_UNIT) : null,
      filledBase: has(SIDE.filledBase) ? readFrom(filled.base, BASE_UNIT) : null,
      filledQuote: has(SIDE.filledQuote) ? readFrom(filled.quote, QUOTE_UNIT) : null,
    };
  }
}

function directionOf(isKnown: boolean, isShort: boolean): 'long' | 'short' | null {
  if (!isKnown && isShort) throw tooLarge();
  if (!isKnown) return null;
  return isShort ? 'short' : 'long';
}

function decimalOrNull(amount: Amount | null, unit: Unit): number | string | null {
  return amount === null ? null : decimalOf(amount, unit);
}
