/** Which accounts of the program are requested. */
import { USER } from '../accounts/generated/user.js';
import type { AccountKind } from '../accounts/reading.js';
import type { AccountFilter } from './rpc.js';

/** Drift v2's program on mainnet and devnet. */
export const PROGRAM_ID = 'dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH';

/** Accounts of a kind. */
export function ofKind({ discriminatorHigh, discriminatorLow }: AccountKind): AccountFilter {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, discriminatorHigh);
  view.setUint32(4, discriminatorLow);
  return { offset: 0, bytes };
}

/**
 * Users that are in use. The filter does not ask for an open order: then the cancellation of a
 * user's last order would not be notified.
 */
export const NOT_IDLE: AccountFilter = { offset: USER.idle, bytes: new Uint8Array([0]) };

/** Users that the program has marked as having an order in auction; the mark may be old. */
export const HAS_OPEN_AUCTION: AccountFilter = {
  offset: USER.hasOpenAuction,
  bytes: new Uint8Array([1]),
};
