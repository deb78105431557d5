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

/** A program, and the filters of its user accounts. */
export interface ProgramFilters {
  readonly isVelocity: boolean;
  readonly programId: string;
  /**
   * Selects users that are not idle. The filter does not require an open order, because then the
   * cancellation of a user's last order would not be notified.
   */
  readonly notIdle: AccountFilter;
  /**
   * Selects users that the program has flagged as having an order in auction; the flag may be
   * outdated.
   */
  readonly hasOpenAuction: AccountFilter;
}

/** Which program is followed. */
export interface ProgramOptions {
  /**
   * The address of the program; by default that of `program` on mainnet and devnet.
   */
  readonly programId?: string;
  /**
   * The program whose layouts the accounts have; by default Velocity at its own address, and Drift
   * v2 at every other.
   */
  readonly program?: 'drift' | 'velocity';
}

/** Returns the filters of the program that the options name. */
export function filtersOf(options: ProgramOptions): ProgramFilters {
  const { program = options.programId === VELOCITY_PROGRAM_ID ? 'velocity' : 'drift' } = options;
  const isVelocity = program === 'velocity';
  const { programId = isVelocity ? VELOCITY_PROGRAM_ID : PROGRAM_ID } = options;
  const { idle, hasOpenAuction } = isVelocity ? VELOCITY_USER : USER;
  return {
    isVelocity,
    programId,
    notIdle: { offset: idle, bytes: new Uint8Array([0]) },
    hasOpenAuction: { offset: hasOpenAuction, bytes: new Uint8Array([1]) },
  };
}
