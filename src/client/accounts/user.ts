/** The user account: the positions and orders of one subaccount. */
import { addressInView } from '../base58-text.js';
import {
  DIRECTION,
  MARGIN_MODE,
  MARKET_TYPE,
  type MarginMode,
  ORDER_STATUS,
  ORDER_TYPE,
  SPOT_BALANCE_TYPE,
  TRIGGER_CONDITION,
} from './generated/enums.js';
import {
  ORDER,
  type Order,
  orderAt,
  PERP_POSITION,
  type PerpPosition,
  perpPositionAt,
  SPOT_POSITION,
  type SpotPosition,
  spotPositionAt,
  USER,
  USER_KIND,
} from './generated/user.js';
import { boolAt, checkedView, enumAt, textAt } from './reading.js';

/** Order slots of an account. */
const ORDER_SLOTS = 32;
/** The number of slots for perp positions, and for spot positions. */
const POSITION_SLOTS = 8;

const OPEN = ORDER_STATUS.indexOf('open');

/** Bits of {@link UserAccount.status}. Source: programs/drift/src/state/user.rs `UserStatus`. */
export const USER_STATUS = {
  beingLiquidated: 1,
  bankrupt: 2,
  reduceOnly: 4,
  advancedLp: 8,
  protectedMakerOrders: 16,
} as const;

/** Bits of a perp position's flag. Source: programs/drift/src/state/user.rs `PositionFlag`. */
export const POSITION_FLAG = { isolated: 1, beingLiquidated: 2, bankrupt: 4 } as const;

/**
 * The parts of an account that are created on first access. One class member costs less than six.
 */
interface Made {
  authority?: string;
  delegate?: string | null;
  name?: string;
  spotPositions?: readonly SpotPosition[];
  perpPositions?: readonly PerpPosition[];
  orders?: readonly Order[];
}

/**
 * A user account as a view of its bytes.
 *
 * The constructor validates every enum and boolean byte, so that later reads never throw; lists and
 * texts are created on first access. The bytes are not copied: the caller must not change them.
 *
 * @example
 * const user: UserAccount = decodeUser(bytes);
 * console.log(user.name, user.authority);
 */
export class UserAccount {
  readonly #made: Made = {};

  /** Its bytes, with validated enums and booleans. */
  readonly view: DataView;
  /** Number of the account within its authority. */
  readonly subAccountId: number;
  /** Flags, see {@link USER_STATUS}. */
  readonly status: number;
  /** Which ratios its margin is computed with. */
  readonly marginMode: MarginMode;
  /** The user's own minimum initial margin ratio, 1e4; 0 for none. */
  readonly maxMarginRatio: number;
  /** The id of the market pool that the account may use. */
  readonly poolId: number;
  /** Whether it may borrow for spot trades. */
  readonly isMarginTradingEnabled: boolean;
  /** Marked as idle by the program. */
  readonly idle: boolean;

  /** Throws MALFORMED_ACCOUNT when the bytes are not a user account. */
  constructor(bytes: Uint8Array) {
    const view = checkedView(bytes, USER_KIND);
    checkSlots(view);
    this.view = view;
    this.subAccountId = view.getUint16(USER.subAccountId, true);
    this.status = view.getUint8(USER.status);
    this.marginMode = enumAt(view, USER.marginMode, MARGIN_MODE, 'marginMode');
    this.maxMarginRatio = view.getUint32(USER.maxMarginRatio, true);
    this.poolId = view.getUint8(USER.poolId);
    this.isMarginTradingEnabled = boolAt(
      view,
      USER.isMarginTradingEnabled,
      'isMarginTradingEnabled',
    );
    this.idle = boolAt(view, USER.idle, 'idle');
    boolAt(view, USER.hasOpenOrder, 'hasOpenOrder');
    boolAt(view, USER.hasOpenAuction, 'hasOpenAuction');
  }

  /** The wallet that owns the account, base58. */
  get authority(): string {
    this.#made.authority ??= addressInView(this.view, USER.authority);
    return this.#made.authority;
  }

  /** The key of the delegate who may also trade with the account, base58; null for none. */
  get delegate(): string | null {
    if (this.#made.delegate === undefined) {
      const isNobody = isZero(this.view, USER.delegate, 32);
      this.#made.delegate = isNobody ? null : addressInView(this.view, USER.delegate);
    }
    return this.#made.delegate;
  }

  /** The name that the user gave to the account; empty for none. */
  get name(): string {
    this.#made.name ??= textAt(this.view, USER.name);
    return this.#made.name;
  }

  /** Spot positions that have a balance or an open order. */
  get spotPositions(): readonly SpotPosition[] {
    this.#made.spotPositions ??= usedSpotPositions(this.view);
    return this.#made.spotPositions;
  }

  /** Perp positions in use: with base, quote, an order, a deposit or a flag. */
  get perpPositions(): readonly PerpPosition[] {
    this.#made.perpPositions ??= usedPerpPositions(this.view);
    return this.#made.perpPositions;
  }

  /** Orders with status open, by their slot in the account. */
  get orders(): readonly Order[] {
    this.#made.orders ??= openOrders(this.view);
    return this.#made.orders;
  }

  /** The chain slot of the account's last own action. */
  get lastActiveSlot(): bigint {
    return this.view.getBigUint64(USER.lastActiveSlot, true);
  }

  /** The next order's id. */
  get nextOrderId(): number {
    return this.view.getUint32(USER.nextOrderId, true);
  }

  /** Value of all deposits, quote 1e6. */
  get totalDeposits(): bigint {
    return this.view.getBigUint64(USER.totalDeposits, true);
  }

  /** Value of all withdrawals, quote 1e6. */
  get totalWithdraws(): bigint {
    return this.view.getBigUint64(USER.totalWithdraws, true);
  }

  /** Profit and loss settled in all perp markets, quote 1e6. */
  get settledPerpPnl(): bigint {
    return this.view.getBigInt64(USER.settledPerpPnl, true);
  }

  /** Funding paid (negative) or received in all perp markets, quote 1e6. */
  get cumulativePerpFunding(): bigint {
    return this.view.getBigInt64(USER.cumulativePerpFunding, true);
  }
}

/**
 * Decodes a user account. Throws MALFORMED_ACCOUNT when the bytes are not a user account.
 *
 * @example
 * const user = decodeUser(bytes);
 * user.orders.filter(isOpenOrder).length;
 */
export function decodeUser(bytes: Uint8Array): UserAccount {
  return new UserAccount(bytes);
}

/** Validates the position and order slots; the reader of a slot names the invalid field. */
function checkSlots(view: DataView): void {
  for (let slot = 0; slot < POSITION_SLOTS; slot += 1) {
    const at = USER.spotPositions + slot * SPOT_POSITION.bytes;
    if (view.getUint8(at + SPOT_POSITION.balanceType) >= SPOT_BALANCE_TYPE.length) {
      spotPositionAt(view, at);
    }
  }
  for (let slot = 0; slot < ORDER_SLOTS; slot += 1) {
    const at = USER.orders + slot * ORDER.bytes;
    if (!isBlank(view, at) && !isOrder(view, at)) orderAt(view, at);
  }
}

/** Returns whether the enum and boolean bytes are 0, as in unused slots. */
function isBlank(view: DataView, at: number): boolean {
  const from = at + ORDER.status;
  return (view.getUint32(from) | view.getUint32(from + 4) | view.getUint16(from + 8)) === 0;
}

/** Returns whether the enum and boolean bytes of an order slot are valid. */
function isOrder(view: DataView, at: number): boolean {
  return (
    view.getUint8(at + ORDER.status) < ORDER_STATUS.length &&
    view.getUint8(at + ORDER.orderType) < ORDER_TYPE.length &&
    view.getUint8(at + ORDER.marketType) < MARKET_TYPE.length &&
    view.getUint8(at + ORDER.existingPositionDirection) < DIRECTION.length &&
    view.getUint8(at + ORDER.direction) < DIRECTION.length &&
    view.getUint8(at + ORDER.reduceOnly) <= 1 &&
    view.getUint8(at + ORDER.postOnly) <= 1 &&
    view.getUint8(at + ORDER.immediateOrCancel) <= 1 &&
    view.getUint8(at + ORDER.triggerCondition) < TRIGGER_CONDITION.length
  );
}

function usedSpotPositions(view: DataView): readonly SpotPosition[] {
  const positions: SpotPosition[] = [];
  forEachSpotPosition(view, (at) => positions.push(spotPositionAt(view, at)));
  return positions;
}

function usedPerpPositions(view: DataView): readonly PerpPosition[] {
  const positions: PerpPosition[] = [];
  forEachPerpPosition(view, (at) => positions.push(perpPositionAt(view, at)));
  return positions;
}

function openOrders(view: DataView): readonly Order[] {
  const orders: Order[] = [];
  forEachOpenOrder(view, (at) => orders.push(orderAt(view, at)));
  return orders;
}

/**
 * Calls `handle` with the offset of each spot position in use. Source:
 * programs/drift/src/state/user.rs `SpotPosition::is_available`.
 */
export function forEachSpotPosition(view: DataView, handle: (at: number) => void): void {
  for (let slot = 0; slot < POSITION_SLOTS; slot += 1) {
    const at = USER.spotPositions + slot * SPOT_POSITION.bytes;
    const isUsed =
      view.getUint8(at + SPOT_POSITION.openOrders) !== 0 ||
      !isZero(view, at + SPOT_POSITION.scaledBalance, 8);
    if (isUsed) handle(at);
  }
}

/**
 * Calls `handle` with the offset of each perp position in use. Source:
 * programs/drift/src/state/user.rs `PerpPosition::is_available`.
 */
export function forEachPerpPosition(view: DataView, handle: (at: number) => void): void {
  const liquidated = POSITION_FLAG.beingLiquidated | POSITION_FLAG.bankrupt;
  for (let slot = 0; slot < POSITION_SLOTS; slot += 1) {
    const at = USER.perpPositions + slot * PERP_POSITION.bytes;
    const isUsed =
      !isZero(view, at + PERP_POSITION.baseAssetAmount, 16) ||
      view.getUint8(at + PERP_POSITION.openOrders) !== 0 ||
      !isZero(view, at + PERP_POSITION.lpShares, 16) ||
      (view.getUint8(at + PERP_POSITION.positionFlag) & liquidated) !== 0;
    if (isUsed) handle(at);
  }
}

/** Calls `handle` with the offset of each order with status open. */
export function forEachOpenOrder(view: DataView, handle: (at: number) => void): void {
  for (let slot = 0; slot < ORDER_SLOTS; slot += 1) {
    const at = USER.orders + slot * ORDER.bytes;
    if (view.getUint8(at + ORDER.status) === OPEN) handle(at);
  }
}

/** Returns whether `bytes` bytes, a multiple of four, are all 0. */
function isZero(view: DataView, at: number, bytes: number): boolean {
  for (let place = at; place < at + bytes; place += 4) {
    if (view.getUint32(place) !== 0) return false;
  }
  return true;
}
