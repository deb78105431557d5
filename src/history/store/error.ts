import { CodedError } from '../../contract/coded-error.js';

/** Why a request to the store failed. */
export type StoreReason =
  | 'full'
  /** The disk, the folder or the file is read-only. */
  | 'readonly'
  /** Another disk error. */
  | 'io'
  /** Another process has locked the file. */
  | 'locked'
  /** The file is not a store of this chain. */
  | 'foreign'
  /** The file has an earlier, or a later version of the format. */
  | 'older'
  | 'newer'
  /** The file is damaged. */
  | 'corrupt'
  /** The file was moved or deleted while open. */
  | 'moved'
  /** The folder cannot be created or opened. */
  | 'folder'
  /** The store's server is unreachable; the store is opened again. */
  | 'lost'
  | 'closed'
  /** A bug. */
  | 'internal';

/** Reasons that may end while the store stays open. */
const recoverable: ReadonlySet<StoreReason> = new Set([
  'full',
  'readonly',
  'io',
  'locked',
  'folder',
  'moved',
]);

/** A failure of the store. Nothing of the failed write is stored. */
export class StoreError extends CodedError<'STORE_FAILED'> {
  override readonly name = 'StoreError';

  constructor(
    readonly reason: StoreReason,
    message: string,
    cause?: unknown,
  ) {
    super('STORE_FAILED', message, { cause });
  }

  /** Whether a later retry may succeed. */
  get canRecover(): boolean {
    return recoverable.has(this.reason);
  }
}

/** Returns whether the error means a damaged row or page of the file. */
export function isDamage(error: unknown): boolean {
  return error instanceof StoreError && error.reason === 'corrupt';
}
