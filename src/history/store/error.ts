import { CodedError } from '../../contract/coded-error.js';

/** Why the store could not do what it was asked. */
export type StoreReason =
  /** The disk has no room. */
  | 'full'
  /** The disk, the folder or the file may not be written. */
  | 'readonly'
  /** The disk failed in another way. */
  | 'io'
  /** Another process has the file. */
  | 'locked'
  /** The file is no store of this chain. */
  | 'foreign'
  /** The file is of a later version of the program. */
  | 'newer'
  /** The file is damaged. */
  | 'corrupt'
  /** The file was moved or deleted while it was open. */
  | 'moved'
  /** The folder cannot be made or opened. */
  | 'folder'
  /** The server of the store cannot be reached: it is opened again. */
  | 'lost'
  /** The store was closed. */
  | 'closed'
  /** Anything else: a bug. */
  | 'internal';

/** The reasons that may go away by themselves, with the store left open. */
const recoverable: ReadonlySet<StoreReason> = new Set([
  'full',
  'readonly',
  'io',
  'locked',
  'folder',
  'moved',
]);

/** A failure of the store. Nothing of the write that failed is stored. */
export class StoreError extends CodedError<'STORE_FAILED'> {
  override readonly name = 'StoreError';

  constructor(
    readonly reason: StoreReason,
    message: string,
    cause?: unknown,
  ) {
    super('STORE_FAILED', message, { cause });
  }

  /** Whether trying again later may help. */
  get canRecover(): boolean {
    return recoverable.has(this.reason);
  }
}

/** Whether a row or a page of the file is not what was written. */
export function isDamage(error: unknown): boolean {
  return error instanceof StoreError && error.reason === 'corrupt';
}
