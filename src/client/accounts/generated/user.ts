// Generated from the layout tables of crates/protocol/layouts by its test client_layouts.
import { boolAt, enumAt, i64NumberAt, keyAt, manyAt, textAt, type AsNumbers, u64NumberAt } from '../reading.js';
import { DIRECTION, MARGIN_MODE, MARKET_TYPE, ORDER_STATUS, ORDER_TYPE, SPOT_BALANCE_TYPE, TRIGGER_CONDITION, type Direction, type MarginMode, type MarketType, type OrderStatus, type OrderType, type SpotBalanceType, type TriggerCondition } from './enums.js';

/** The struct `SpotPosition`; amounts are raw. */
export interface SpotPosition {
  readonly scaledBalance: bigint;
  readonly openBids: bigint;
  readonly openAsks: bigint;
  readonly cumulativeDeposits: bigint;
  readonly marketIndex: number;
  readonly balanceType: SpotBalanceType;
  readonly openOrders: number;
}

/** Where the fields of `SpotPosition` are, and how many bytes it has. */
export const SPOT_POSITION = {
  bytes: 40,
  scaledBalance: 0,
  openBids: 8,
  openAsks: 16,
  cumulativeDeposits: 24,
  marketIndex: 32,
  balanceType: 34,
  openOrders: 35,
} as const;

/** Reads `SpotPosition` at a place, whose bytes are there. */
export function spotPositionAt(view: DataView, at: number): SpotPosition {
  return {
    scaledBalance: view.getBigUint64(at, true),
    openBids: view.getBigInt64(at + 8, true),
    openAsks: view.getBigInt64(at + 16, true),
    cumulativeDeposits: view.getBigInt64(at + 24, true),
    marketIndex: view.getUint16(at + 32, true),
    balanceType: enumAt(view, at + 34, SPOT_BALANCE_TYPE, 'balanceType'),
    openOrders: view.getUint8(at + 35),
  };
}

/** Reads fields of `SpotPosition` one by one, amounts as numbers. */
export class SpotPositionReader implements AsNumbers<SpotPosition> {
  readonly #view: DataView;
  #at = 0;

  constructor(view: DataView) {
    this.#view = view;
  }

  /** Moves to a place, whose bytes are there. */
  moveTo(at: number): this {
    this.#at = at;
    return this;
  }

  get scaledBalance(): number {
    return u64NumberAt(this.#view, this.#at);
  }

  get openBids(): number {
    return i64NumberAt(this.#view, this.#at + 8);
  }

  get openAsks(): number {
    return i64NumberAt(this.#view, this.#at + 16);
  }

  get cumulativeDeposits(): number {
    return i64NumberAt(this.#view, this.#at + 24);
  }

  get marketIndex(): number {
    return this.#view.getUint16(this.#at + 32, true);
  }

  get balanceType(): SpotBalanceType {
    return enumAt(this.#view, this.#at + 34, SPOT_BALANCE_TYPE, 'balanceType');
  }

  get openOrders(): number {
    return this.#view.getUint8(this.#at + 35);
  }
}

/** The struct `PerpPosition`; amounts are raw. */
export interface PerpPosition {
  readonly lastCumulativeFundingRate: bigint;
  readonly baseAssetAmount: bigint;
  readonly quoteAssetAmount: bigint;
  readonly quoteBreakEvenAmount: bigint;
  readonly quoteEntryAmount: bigint;
  readonly openBids: bigint;
  readonly openAsks: bigint;
  readonly settledPnl: bigint;
  readonly lpShares: bigint;
  readonly isolatedPositionScaledBalance: bigint;
  readonly lastQuoteAssetAmountPerLp: bigint;
  readonly maxMarginRatio: number;
  readonly marketIndex: number;
  readonly openOrders: number;
  readonly positionFlag: number;
}

/** Where the fields of `PerpPosition` are, and how many bytes it has. */
export const PERP_POSITION = {
  bytes: 96,
  lastCumulativeFundingRate: 0,
  baseAssetAmount: 8,
  quoteAssetAmount: 16,
  quoteBreakEvenAmount: 24,
  quoteEntryAmount: 32,
  openBids: 40,
  openAsks: 48,
  settledPnl: 56,
  lpShares: 64,
  isolatedPositionScaledBalance: 72,
  lastQuoteAssetAmountPerLp: 80,
  maxMarginRatio: 90,
  marketIndex: 92,
  openOrders: 94,
  positionFlag: 95,
} as const;

/** Reads `PerpPosition` at a place, whose bytes are there. */
export function perpPositionAt(view: DataView, at: number): PerpPosition {
  return {
    lastCumulativeFundingRate: view.getBigInt64(at, true),
    baseAssetAmount: view.getBigInt64(at + 8, true),
    quoteAssetAmount: view.getBigInt64(at + 16, true),
    quoteBreakEvenAmount: view.getBigInt64(at + 24, true),
    quoteEntryAmount: view.getBigInt64(at + 32, true),
    openBids: view.getBigInt64(at + 40, true),
    openAsks: view.getBigInt64(at + 48, true),
    settledPnl: view.getBigInt64(at + 56, true),
    lpShares: view.getBigUint64(at + 64, true),
    isolatedPositionScaledBalance: view.getBigUint64(at + 72, true),
    lastQuoteAssetAmountPerLp: view.getBigInt64(at + 80, true),
    maxMarginRatio: view.getUint16(at + 90, true),
    marketIndex: view.getUint16(at + 92, true),
    openOrders: view.getUint8(at + 94),
    positionFlag: view.getUint8(at + 95),
  };
}

/** Reads fields of `PerpPosition` one by one, amounts as numbers. */
export class PerpPositionReader implements AsNumbers<PerpPosition> {
  readonly #view: DataView;
  #at = 0;

  constructor(view: DataView) {
    this.#view = view;
  }

  /** Moves to a place, whose bytes are there. */
  moveTo(at: number): this {
    this.#at = at;
    return this;
  }

  get lastCumulativeFundingRate(): number {
    return i64NumberAt(this.#view, this.#at);
  }

  get baseAssetAmount(): number {
    return i64NumberAt(this.#view, this.#at + 8);
  }

  get quoteAssetAmount(): number {
    return i64NumberAt(this.#view, this.#at + 16);
  }

  get quoteBreakEvenAmount(): number {
    return i64NumberAt(this.#view, this.#at + 24);
  }

  get quoteEntryAmount(): number {
    return i64NumberAt(this.#view, this.#at + 32);
  }

  get openBids(): number {
    return i64NumberAt(this.#view, this.#at + 40);
  }

  get openAsks(): number {
    return i64NumberAt(this.#view, this.#at + 48);
  }

  get settledPnl(): number {
    return i64NumberAt(this.#view, this.#at + 56);
  }

  get lpShares(): number {
    return u64NumberAt(this.#view, this.#at + 64);
  }

  get isolatedPositionScaledBalance(): number {
    return u64NumberAt(this.#view, this.#at + 72);
  }

  get lastQuoteAssetAmountPerLp(): number {
    return i64NumberAt(this.#view, this.#at + 80);
  }

  get maxMarginRatio(): number {
    return this.#view.getUint16(this.#at + 90, true);
  }

  get marketIndex(): number {
    return this.#view.getUint16(this.#at + 92, true);
  }

  get openOrders(): number {
    return this.#view.getUint8(this.#at + 94);
  }

  get positionFlag(): number {
    return this.#view.getUint8(this.#at + 95);
  }
}

/** The struct `Order`; amounts are raw. */
export interface Order {
  readonly slot: bigint;
  readonly price: bigint;
  readonly baseAssetAmount: bigint;
  readonly baseAssetAmountFilled: bigint;
  readonly quoteAssetAmountFilled: bigint;
  readonly triggerPrice: bigint;
  readonly auctionStartPrice: bigint;
  readonly auctionEndPrice: bigint;
  readonly maxTs: bigint;
  readonly oraclePriceOffset: number;
  readonly orderId: number;
  readonly marketIndex: number;
  readonly status: OrderStatus;
  readonly orderType: OrderType;
  readonly marketType: MarketType;
  readonly userOrderId: number;
  readonly existingPositionDirection: Direction;
  readonly direction: Direction;
  readonly reduceOnly: boolean;
  readonly postOnly: boolean;
  readonly immediateOrCancel: boolean;
  readonly triggerCondition: TriggerCondition;
  readonly auctionDuration: number;
  readonly postedSlotTail: number;
  readonly bitFlags: number;
}

/** Where the fields of `Order` are, and how many bytes it has. */
export const ORDER = {
  bytes: 96,
  slot: 0,
  price: 8,
  baseAssetAmount: 16,
  baseAssetAmountFilled: 24,
  quoteAssetAmountFilled: 32,
  triggerPrice: 40,
  auctionStartPrice: 48,
  auctionEndPrice: 56,
  maxTs: 64,
  oraclePriceOffset: 72,
  orderId: 76,
  marketIndex: 80,
  status: 82,
  orderType: 83,
  marketType: 84,
  userOrderId: 85,
  existingPositionDirection: 86,
  direction: 87,
  reduceOnly: 88,
  postOnly: 89,
  immediateOrCancel: 90,
  triggerCondition: 91,
  auctionDuration: 92,
  postedSlotTail: 93,
  bitFlags: 94,
} as const;

/** Reads `Order` at a place, whose bytes are there. */
export function orderAt(view: DataView, at: number): Order {
  return {
    slot: view.getBigUint64(at, true),
    price: view.getBigUint64(at + 8, true),
    baseAssetAmount: view.getBigUint64(at + 16, true),
    baseAssetAmountFilled: view.getBigUint64(at + 24, true),
    quoteAssetAmountFilled: view.getBigUint64(at + 32, true),
    triggerPrice: view.getBigUint64(at + 40, true),
    auctionStartPrice: view.getBigInt64(at + 48, true),
    auctionEndPrice: view.getBigInt64(at + 56, true),
    maxTs: view.getBigInt64(at + 64, true),
    oraclePriceOffset: view.getInt32(at + 72, true),
    orderId: view.getUint32(at + 76, true),
    marketIndex: view.getUint16(at + 80, true),
    status: enumAt(view, at + 82, ORDER_STATUS, 'status'),
    orderType: enumAt(view, at + 83, ORDER_TYPE, 'orderType'),
    marketType: enumAt(view, at + 84, MARKET_TYPE, 'marketType'),
    userOrderId: view.getUint8(at + 85),
    existingPositionDirection: enumAt(view, at + 86, DIRECTION, 'existingPositionDirection'),
    direction: enumAt(view, at + 87, DIRECTION, 'direction'),
    reduceOnly: boolAt(view, at + 88, 'reduceOnly'),
    postOnly: boolAt(view, at + 89, 'postOnly'),
    immediateOrCancel: boolAt(view, at + 90, 'immediateOrCancel'),
    triggerCondition: enumAt(view, at + 91, TRIGGER_CONDITION, 'triggerCondition'),
    auctionDuration: view.getUint8(at + 92),
    postedSlotTail: view.getUint8(at + 93),
    bitFlags: view.getUint8(at + 94),
  };
}

/** Reads fields of `Order` one by one, amounts as numbers. */
export class OrderReader implements AsNumbers<Order> {
  readonly #view: DataView;
  #at = 0;

  constructor(view: DataView) {
    this.#view = view;
  }

  /** Moves to a place, whose bytes are there. */
  moveTo(at: number): this {
    this.#at = at;
    return this;
  }

  get slot(): number {
    return u64NumberAt(this.#view, this.#at);
  }

  get price(): number {
    return u64NumberAt(this.#view, this.#at + 8);
  }

  get baseAssetAmount(): number {
    return u64NumberAt(this.#view, this.#at + 16);
  }

  get baseAssetAmountFilled(): number {
    return u64NumberAt(this.#view, this.#at + 24);
  }

  get quoteAssetAmountFilled(): number {
    return u64NumberAt(this.#view, this.#at + 32);
  }

  get triggerPrice(): number {
    return u64NumberAt(this.#view, this.#at + 40);
  }

  get auctionStartPrice(): number {
    return i64NumberAt(this.#view, this.#at + 48);
  }

  get auctionEndPrice(): number {
    return i64NumberAt(this.#view, this.#at + 56);
  }

  get maxTs(): number {
    return i64NumberAt(this.#view, this.#at + 64);
  }

  get oraclePriceOffset(): number {
    return this.#view.getInt32(this.#at + 72, true);
  }

  get orderId(): number {
    return this.#view.getUint32(this.#at + 76, true);
  }

  get marketIndex(): number {
    return this.#view.getUint16(this.#at + 80, true);
  }

  get status(): OrderStatus {
    return enumAt(this.#view, this.#at + 82, ORDER_STATUS, 'status');
  }

  get orderType(): OrderType {
    return enumAt(this.#view, this.#at + 83, ORDER_TYPE, 'orderType');
  }

  get marketType(): MarketType {
    return enumAt(this.#view, this.#at + 84, MARKET_TYPE, 'marketType');
  }

  get userOrderId(): number {
    return this.#view.getUint8(this.#at + 85);
  }

  get existingPositionDirection(): Direction {
    return enumAt(this.#view, this.#at + 86, DIRECTION, 'existingPositionDirection');
  }

  get direction(): Direction {
    return enumAt(this.#view, this.#at + 87, DIRECTION, 'direction');
  }

  get reduceOnly(): boolean {
    return boolAt(this.#view, this.#at + 88, 'reduceOnly');
  }

  get postOnly(): boolean {
    return boolAt(this.#view, this.#at + 89, 'postOnly');
  }

  get immediateOrCancel(): boolean {
    return boolAt(this.#view, this.#at + 90, 'immediateOrCancel');
  }

  get triggerCondition(): TriggerCondition {
    return enumAt(this.#view, this.#at + 91, TRIGGER_CONDITION, 'triggerCondition');
  }

  get auctionDuration(): number {
    return this.#view.getUint8(this.#at + 92);
  }

  get postedSlotTail(): number {
    return this.#view.getUint8(this.#at + 93);
  }

  get bitFlags(): number {
    return this.#view.getUint8(this.#at + 94);
  }
}

/** The account `User`; amounts are raw. */
export interface User {
  readonly authority: string;
  readonly delegate: string;
  readonly name: string;
  readonly spotPositions: readonly SpotPosition[];
  readonly perpPositions: readonly PerpPosition[];
  readonly orders: readonly Order[];
  readonly lastAddPerpLpSharesTs: bigint;
  readonly totalDeposits: bigint;
  readonly totalWithdraws: bigint;
  readonly totalSocialLoss: bigint;
  readonly settledPerpPnl: bigint;
  readonly cumulativeSpotFees: bigint;
  readonly cumulativePerpFunding: bigint;
  readonly liquidationMarginFreed: bigint;
  readonly lastActiveSlot: bigint;
  readonly nextOrderId: number;
  readonly maxMarginRatio: number;
  readonly nextLiquidationId: number;
  readonly subAccountId: number;
  readonly status: number;
  readonly isMarginTradingEnabled: boolean;
  readonly idle: boolean;
  readonly openOrders: number;
  readonly hasOpenOrder: boolean;
  readonly openAuctions: number;
  readonly hasOpenAuction: boolean;
  readonly marginMode: MarginMode;
  readonly poolId: number;
  readonly lastFuelBonusUpdateTs: number;
}

/** Where the fields of `User` are, and how many bytes it has. */
export const USER = {
  bytes: 4376,
  authority: 8,
  delegate: 40,
  name: 72,
  spotPositions: 104,
  perpPositions: 424,
  orders: 1192,
  lastAddPerpLpSharesTs: 4264,
  totalDeposits: 4272,
  totalWithdraws: 4280,
  totalSocialLoss: 4288,
  settledPerpPnl: 4296,
  cumulativeSpotFees: 4304,
  cumulativePerpFunding: 4312,
  liquidationMarginFreed: 4320,
  lastActiveSlot: 4328,
  nextOrderId: 4336,
  maxMarginRatio: 4340,
  nextLiquidationId: 4344,
  subAccountId: 4346,
  status: 4348,
  isMarginTradingEnabled: 4349,
  idle: 4350,
  openOrders: 4351,
  hasOpenOrder: 4352,
  openAuctions: 4353,
  hasOpenAuction: 4354,
  marginMode: 4355,
  poolId: 4356,
  lastFuelBonusUpdateTs: 4360,
} as const;

/** Reads `User` at a place, whose bytes are there. */
export function userAt(view: DataView, at: number): User {
  return {
    authority: keyAt(view, at + 8),
    delegate: keyAt(view, at + 40),
    name: textAt(view, at + 72),
    spotPositions: manyAt(view, at + 104, 8, 40, spotPositionAt),
    perpPositions: manyAt(view, at + 424, 8, 96, perpPositionAt),
    orders: manyAt(view, at + 1192, 32, 96, orderAt),
    lastAddPerpLpSharesTs: view.getBigInt64(at + 4264, true),
    totalDeposits: view.getBigUint64(at + 4272, true),
    totalWithdraws: view.getBigUint64(at + 4280, true),
    totalSocialLoss: view.getBigUint64(at + 4288, true),
    settledPerpPnl: view.getBigInt64(at + 4296, true),
    cumulativeSpotFees: view.getBigInt64(at + 4304, true),
    cumulativePerpFunding: view.getBigInt64(at + 4312, true),
    liquidationMarginFreed: view.getBigUint64(at + 4320, true),
    lastActiveSlot: view.getBigUint64(at + 4328, true),
    nextOrderId: view.getUint32(at + 4336, true),
    maxMarginRatio: view.getUint32(at + 4340, true),
    nextLiquidationId: view.getUint16(at + 4344, true),
    subAccountId: view.getUint16(at + 4346, true),
    status: view.getUint8(at + 4348),
    isMarginTradingEnabled: boolAt(view, at + 4349, 'isMarginTradingEnabled'),
    idle: boolAt(view, at + 4350, 'idle'),
    openOrders: view.getUint8(at + 4351),
    hasOpenOrder: boolAt(view, at + 4352, 'hasOpenOrder'),
    openAuctions: view.getUint8(at + 4353),
    hasOpenAuction: boolAt(view, at + 4354, 'hasOpenAuction'),
    marginMode: enumAt(view, at + 4355, MARGIN_MODE, 'marginMode'),
    poolId: view.getUint8(at + 4356),
    lastFuelBonusUpdateTs: view.getUint32(at + 4360, true),
  };
}

/** How an account `User` is told from others. */
export const USER_KIND = {
  name: 'User',
  discriminatorHigh: 0x9f755fe3,
  discriminatorLow: 0xef973aec,
  bytes: 4376,
  hasFixedLength: true,
} as const;
