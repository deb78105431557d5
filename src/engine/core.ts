/** Calls into the native core, which throw an {@link EngineError}. */
import { Core } from '@slotbook/core/native';
import type { ProgramName } from '../contract/program.js';
import { EngineError } from './errors.js';

/** Whose accounts a book is made of. */
export interface BookOptions {
  /** The program's address, base58. */
  readonly programId: string;
  /** The program whose rules and layouts the core uses; by default the address determines it. */
  readonly program?: ProgramName | undefined;
  /** The name of the run of the book. */
  readonly epoch: string;
}

/** An empty book. Throws INVALID_PROGRAM_ID. */
export function createCore({ programId, program, epoch }: BookOptions): Core {
  try {
    return new Core(programId, epoch, program);
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
