/** Calls into the native core, which throw an {@link EngineError}. */
import { Core } from '@slotbook/core';
import { EngineError } from './errors.js';

/** An empty book. Throws INVALID_PROGRAM_ID. */
export function createCore({ programId, epoch }: { programId: string; epoch: string }): Core {
  try {
    return new Core(programId, epoch);
  } catch (cause) {
    const message = `program id was ${programId}, must be base58 of 32 bytes`;
    throw new EngineError('INVALID_PROGRAM_ID', message, { cause });
  }
}

/**
 * Renders the body of a user account's open orders. Throws INVALID_MAKER when the account is not a
 * valid key.
 */
export function readOpenOrders(core: Core, account: string): string {
  const body = core.openOrders(account);
  if (body !== null) return body;
  throw new EngineError('INVALID_MAKER', 'account was not a base58 key of 32 bytes', { account });
}
