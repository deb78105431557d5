/** The fields of Velocity's accounts that books and auctions need: of users, perp markets and the state. */
import { CONTRACT_TIER, type MarketStatus, ORACLE_SOURCE } from '../accounts/generated/enums.js';
import type { Order } from '../accounts/generated/user.js';
import { type AccountKind, checkedView, enumAt, keyAt, textAt } from '../accounts/reading.js';
import { USER_STATUS } from '../accounts/user.js';
import { perpMarket } from '../keys.js';
import { type BookMarket, CONTRACT_TIERS, PAUSED_FILL, PERP_DECIMALS } from './book-market.js';
import {
  VELOCITY_PERP_MARKET as MARKET,
  VELOCITY_ORDER_BYTES as ORDER_BYTES,
  VELOCITY_PERP_POSITION as POSITION,
  VELOCITY_STATE as STATE,
  VELOCITY_USER as USER,
  velocityOrderAt,
} from './generated/velocity.js';
import type { GuardRails } from './oracle-rules.js';
import type { BookUser } from './order-rules.js';
import type { SlotSchedule } from './slot-clock.js';

const ORDER_SLOTS = 32;
/** The places of the perp positions of a user account. */
const POSITIONS = Array.from(
  { length: 8 },
  (_, slot) => USER.perpPositions + slot * POSITION.bytes,
);
/** The bit of an order that rests on a CLOB program. Source: the CLOB branch, `OrderBitFlag`. */
const PLACED_ON_CLOB = 64;
/** Changes of the length of slots. */
const SLOT_CHANGES = 4;
/** Source: programs/velocity/src/state/perp_market.rs `MarketStatus`. */
const MARKET_STATUS: readonly MarketStatus[] = [
  'initialized',
  'active',
  'reduceOnly',
  'settlement',
  'delisted',
];

/** The part of the state account that books need. */
export interface ExchangeState {
  readonly exchangeStatus: number;
  readonly guardRails: GuardRails;
  /** The lengths of slots; null when all have 400 ms. */
  readonly slots: SlotSchedule | null;
}

/** A user account of Velocity, as auctions show it. */
export interface VelocityUser {
  /** The wallet that owns the account, base58. */
  readonly authority: string;
  /** Number of the account within its authority. */
  readonly subAccountId: number;
  /** Flags, see `USER_STATUS`. */
  readonly status: number;
  /** The open orders, without those that rest on a CLOB program. */
  readonly orders: readonly Order[];
}

/** Returns whether an account is longer than Drift v2's of its kind, as all of Velocity's are. */
export function isOfVelocity(bytes: Uint8Array, kind: AccountKind): boolean {
  return bytes.length > kind.bytes;
}

/** The auctions' view of a user account. Throws MALFORMED_ACCOUNT for invalid bytes. */
export function velocityUser(bytes: Uint8Array, kind: AccountKind): VelocityUser {
  const view = viewOf(bytes, kind, USER.bytes);
  return {
    authority: keyAt(view, USER.authority),
    subAccountId: view.getUint16(USER.subAccountId, true),
    status: view.getUint8(USER.status),
    orders: openOrders(view).filter(isInAccount),
  };
}

/** The book's view of a user account. Throws MALFORMED_ACCOUNT for invalid bytes. */
export function velocityBookUser(address: string, bytes: Uint8Array, kind: AccountKind): BookUser {
  const view = viewOf(bytes, kind, USER.bytes);
  const open = openOrders(view);
  const frozen = USER_STATUS.beingLiquidated | USER_STATUS.bankrupt;
  return {
    address,
    isFrozen: (view.getUint8(USER.status) & frozen) !== 0,
    orders: open.filter(isInAccount),
    marketsOnClob: marketsOnClob(view, open),
    positionIn: ({ id }) => perpBase(view, id.marketIndex),
  };
}

function openOrders(view: DataView): Order[] {
  const slots = Array.from({ length: ORDER_SLOTS }, (_, slot) =>
    velocityOrderAt(view, USER.orders + slot * ORDER_BYTES),
  );
  return slots.filter(({ status }) => status === 'open');
}

const isInAccount = ({ bitFlags }: Order): boolean => (bitFlags & PLACED_ON_CLOB) === 0;

/**
 * Returns the markets with an order that is only the shadow of another program's, or with more open
 * orders than the account holds.
 */
function marketsOnClob(view: DataView, open: readonly Order[]): number[] {
  const orders = open.filter(({ marketType }) => marketType === 'perp');
  const shadows = orders.filter((order) => !isInAccount(order));
  const inAccount = orders.filter(isInAccount);
  const counted = POSITIONS.map((at) => ({
    marketIndex: view.getUint16(at + POSITION.marketIndex, true),
    count: view.getUint8(at + POSITION.openOrders),
  })).filter(({ marketIndex, count }) => {
    const held = count === 0 ? [] : inAccount.filter((order) => order.marketIndex === marketIndex);
    return count > held.length;
  });
  return [...shadows, ...counted].map(({ marketIndex }) => marketIndex);
}

function perpBase(view: DataView, marketIndex: number): bigint {
  return POSITIONS.filter(
    (at) => view.getUint16(at + POSITION.marketIndex, true) === marketIndex,
  ).reduce((base, at) => base + view.getBigInt64(at + POSITION.baseAssetAmount, true), 0n);
}

/** The book's view of a perp market. Throws MALFORMED_ACCOUNT for invalid bytes. */
export function velocityMarket(bytes: Uint8Array, kind: AccountKind): BookMarket {
  const view = viewOf(bytes, kind, MARKET.bytes);
  const status = enumAt(view, MARKET.status, MARKET_STATUS, 'status');
  return {
    id: perpMarket(view.getUint16(MARKET.marketIndex, true)),
    name: textAt(view, MARKET.name),
    status,
    reducesEveryOrder: status === 'reduceOnly',
    expiryTs: view.getBigInt64(MARKET.expiryTs, true),
    areFillsPaused: (view.getUint8(MARKET.pausedOperations) & PAUSED_FILL.perp) !== 0,
    tickSize: view.getBigUint64(MARKET.orderTickSize, true),
    stepSize: view.getBigUint64(MARKET.orderStepSize, true),
    decimals: PERP_DECIMALS,
    isPrediction: false,
    oracle: keyAt(view, MARKET.oracle),
    oracleSource: enumAt(view, MARKET.oracleSource, ORACLE_SOURCE, 'oracleSource'),
    confidenceMultiplier:
      CONTRACT_TIERS[enumAt(view, MARKET.contractTier, CONTRACT_TIER, 'contractTier')],
    lastOracleTwap: view.getBigInt64(MARKET.lastOraclePriceTwap, true),
    mmOracle: mmOracleAt(view),
    interest: null,
  };
}

function mmOracleAt(view: DataView): NonNullable<BookMarket['mmOracle']> {
  return {
    price: view.getBigInt64(MARKET.mmOraclePrice, true),
    slot: view.getBigUint64(MARKET.mmOracleSlot, true),
    sequenceId: view.getBigUint64(MARKET.mmOracleSequenceId, true),
  };
}

/** The part of the state that books need. Throws MALFORMED_ACCOUNT for invalid bytes. */
export function velocityState(bytes: Uint8Array, kind: AccountKind): ExchangeState {
  const view = viewOf(bytes, kind, STATE.bytes);
  return {
    exchangeStatus: view.getUint8(STATE.exchangeStatus),
    guardRails: {
      slotsBeforeStaleForMargin: view.getBigInt64(STATE.slotsBeforeStaleForMargin, true),
      confidenceIntervalMaxSize: view.getBigUint64(STATE.confidenceIntervalMaxSize, true),
      tooVolatileRatio: view.getBigInt64(STATE.tooVolatileRatio, true),
    },
    slots: {
      changes: Array.from({ length: SLOT_CHANGES }, (_, change) =>
        view.getBigUint64(STATE.slotDurationTransitionSlots + change * 8, true),
      ),
      lengthMs: BigInt(view.getUint16(STATE.slotDurationMs, true)),
      stagedMs: BigInt(view.getUint16(STATE.pendingSlotDurationMs, true)),
      stagedFrom: view.getBigUint64(STATE.slotDurationEffectiveSlot, true),
    },
  };
}

function viewOf(bytes: Uint8Array, kind: AccountKind, bytesMin: number): DataView {
  return checkedView(bytes, { ...kind, bytes: bytesMin, hasFixedLength: false });
}
