/** The fields of Velocity's accounts that the local book needs: of users, perp markets and the state. */
import { CONTRACT_TIER, type MarketStatus, ORACLE_SOURCE } from '../accounts/generated/enums.js';
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

const ORDER_SLOTS = 32;
const POSITION_SLOTS = 8;
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
}

/** Returns whether an account is longer than Drift v2's of its kind, as all of Velocity's are. */
export function isOfVelocity(bytes: Uint8Array, kind: AccountKind): boolean {
  return bytes.length > kind.bytes;
}

/** The book's view of a user account. Throws MALFORMED_ACCOUNT for invalid bytes. */
export function velocityUser(address: string, bytes: Uint8Array, kind: AccountKind): BookUser {
  const view = viewOf(bytes, kind, USER.bytes);
  const slots = Array.from({ length: ORDER_SLOTS }, (_, slot) =>
    velocityOrderAt(view, USER.orders + slot * ORDER_BYTES),
  );
  const frozen = USER_STATUS.beingLiquidated | USER_STATUS.bankrupt;
  return {
    address,
    isFrozen: (view.getUint8(USER.status) & frozen) !== 0,
    orders: slots.filter(({ status }) => status === 'open'),
    positionIn: ({ id }) => perpBase(view, id.marketIndex),
  };
}

function perpBase(view: DataView, marketIndex: number): bigint {
  let base = 0n;
  for (let slot = 0; slot < POSITION_SLOTS; slot += 1) {
    const at = USER.perpPositions + slot * POSITION.bytes;
    if (view.getUint16(at + POSITION.marketIndex, true) !== marketIndex) continue;
    base += view.getBigInt64(at + POSITION.baseAssetAmount, true);
  }
  return base;
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
  };
}

function viewOf(bytes: Uint8Array, kind: AccountKind, bytesMin: number): DataView {
  return checkedView(bytes, { ...kind, bytes: bytesMin, hasFixedLength: false });
}
