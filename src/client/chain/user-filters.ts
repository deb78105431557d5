/** Which accounts of the program are requested. */
import { USER } from '../accounts/generated/user.js';
import type { AccountKind } from '../accounts/reading.js';
import { VELOCITY_USER } from './generated/velocity.js';
import type { AccountFilter } from './rpc.js';

/** Drift v2's program on mainnet and devnet. */
export const PROGRAM_ID = 'dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH';
/** Velocity's program on mainnet and devnet. */
export const VELOCITY_PROGRAM_ID = 'vELoC1audYbSYVRXn1vPaV8Axoa9oU6BYmNGZZBDZ1P';

/** Accounts of a kind. */
export function ofKind({ discriminatorHigh, discriminatorLow }: AccountKind): AccountFilter {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, discriminatorHigh);
  view.setUint32(4, discriminatorLow);
  return { offset: 0, bytes };
}

/**
 * Selects users that are not idle. The filter does not require an open order, because then the
 * cancellation of a user's last order would not be notified.
 */
export const NOT_IDLE: AccountFilter = { offset: USER.idle, bytes: new Uint8Array([0]) };
/** The same of Velocity. */
export const VELOCITY_NOT_IDLE: AccountFilter = { ...NOT_IDLE, offset: VELOCITY_USER.idle };

/**
 * Selects users that the program has flagged as having an order in auction; the flag may be
 * outdated.
 */
export const HAS_OPEN_AUCTION: AccountFilter = {
  offset: USER.hasOpenAuction,
  bytes: new Uint8Array([1]),
};
