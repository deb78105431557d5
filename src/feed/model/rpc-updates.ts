/** The accounts and slots of a node's responses and subscriptions. */
import type { ChainProgram } from '../../contract/program.js';
import type { NodeSocket } from '../../rpc/node-pool.js';
import type { RpcSubscription } from '../../rpc/socket.js';
import {
  type AccountKind,
  type AccountUpdate,
  type AnnouncedSlot,
  closedAccount,
} from './account-update.js';
import { FeedError } from './error.js';
import type { UpdateHandlers, UpdateStream } from './feed-source.js';
import {
  accountSubscribeParams,
  CLOCK_KEY,
  PROGRAM_KINDS,
  type ProgramEncoding,
  programSubscribeParams,
} from './queries.js';

/** The accounts of one response, as of one slot. */
export interface AccountBatch {
  readonly slot: number;
  readonly updates: readonly AccountUpdate[];
  /** The keys of accounts that are unreadable in it, and are no closed ones. */
  readonly broken: readonly string[];
}

/** Reads a programNotification; null when it is malformed. */
export function parseProgramNotification(kind: AccountKind, result: unknown): AccountUpdate | null {
  const value = fieldOf(result, 'value');
  return parseAccount(kind, fieldOf(value, 'pubkey'), fieldOf(value, 'account'), slotOf(result));
}

/** Reads an accountNotification of a known key; null when it is malformed. */
export function parseAccountNotification(
  kind: AccountKind,
  pubkey: string,
  result: unknown,
): AccountUpdate | null {
  return parseAccount(kind, pubkey, fieldOf(result, 'value'), slotOf(result));
}

/**
 * Parses a response of getProgramAccounts with context.
 *
 * # Errors
 * Throws MALFORMED_ACCOUNTS_ANSWER, also for an unreadable account without a key.
 */
export function parseProgramAccounts(kind: AccountKind, result: unknown): AccountBatch {
  const rows = rowsOf(result).map((row) => {
    const pubkey = fieldOf(row, 'pubkey');
    if (typeof pubkey !== 'string') throw malformedError('an account without a key');
    return { pubkey, account: fieldOf(row, 'account') };
  });
  return batchOf(result, rows, () => kind);
}

/**
 * Parses a response of getMultipleAccounts for these keys; an absent account counts as closed.
 *
 * # Errors
 * Throws MALFORMED_ACCOUNTS_ANSWER.
 */
export function parseMultipleAccounts(
  keys: readonly string[],
  kindOf: (pubkey: string) => AccountKind,
  result: unknown,
): AccountBatch {
  const rows = rowsOf(result);
  if (rows.length !== keys.length)
    throw malformedError(`${rows.length} rows for ${keys.length} keys`);
  const accounts = keys.map((pubkey, index) => ({ pubkey, account: rows[index] ?? null }));
  return batchOf(result, accounts, kindOf);
}

function batchOf(
  result: unknown,
  rows: readonly { readonly pubkey: string; readonly account: unknown }[],
  kindOf: (pubkey: string) => AccountKind,
): AccountBatch {
  const slot = slotOf(result);
  if (slot === null) throw malformedError('no context slot');
  const broken: string[] = [];
  const updates = rows.flatMap(({ pubkey, account }) => {
    const update = parseAccount(kindOf(pubkey), pubkey, account, slot);
    if (update === null) broken.push(pubkey);
    return update ?? [];
  });
  return { slot, updates, broken };
}

function malformedError(what: string): FeedError {
  const message = `answer had ${what}, must hold accounts with their context`;
  return new FeedError('MALFORMED_ACCOUNTS_ANSWER', message);
}

function rowsOf(result: unknown): readonly unknown[] {
  const value = fieldOf(result, 'value');
  if (!Array.isArray(value)) throw malformedError('no list of accounts');
  return value;
}

/**
 * Reads an account. Its encoding is read from the response, because a server may not use the
 * requested encoding.
 */
function parseAccount(
  kind: AccountKind,
  pubkey: unknown,
  account: unknown,
  slot: number | null,
): AccountUpdate | null {
  if (typeof pubkey !== 'string' || slot === null) return null;
  if (account === null || fieldOf(account, 'lamports') === 0 || fieldOf(account, 'space') === 0) {
    return closedAccount({ kind, pubkey, slot });
  }
  const owner = fieldOf(account, 'owner');
  const pair = fieldOf(account, 'data');
  const [data, encoding]: readonly unknown[] = Array.isArray(pair) ? pair : [];
  if (typeof owner !== 'string' || typeof data !== 'string') return null;
  if (encoding !== 'base64' && encoding !== 'base64+zstd') return null;
  return { kind, pubkey, owner, slot, data, encoding, closed: data === '' };
}

function slotOf(result: unknown): number | null {
  return asSlot(fieldOf(fieldOf(result, 'context'), 'slot'));
}

/**
 * Parses the accounts that a transaction may write from a getTransaction response; none when the
 * transaction is missing.
 */
export function parseWritableKeys(result: unknown): readonly string[] {
  if (result === null) throw malformedError('no transaction');
  const message = fieldOf(fieldOf(result, 'transaction'), 'message');
  const keys = textsOf(fieldOf(message, 'accountKeys'));
  const header = fieldOf(message, 'header');
  const signers = countOf(header, 'numRequiredSignatures');
  const signersEnd = signers - countOf(header, 'numReadonlySignedAccounts');
  const end = keys.length - countOf(header, 'numReadonlyUnsignedAccounts');
  const own = keys.filter((_, at) => at < signersEnd || (at >= signers && at < end));
  const loaded = fieldOf(fieldOf(fieldOf(result, 'meta'), 'loadedAddresses'), 'writable');
  return [...own, ...(loaded === undefined ? [] : textsOf(loaded))];
}

function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw malformedError('no list of keys');
}

function countOf(header: unknown, name: string): number {
  const count = asSlot(fieldOf(header, name));
  if (count === null) throw malformedError(`no ${name}`);
  return count;
}

/** Reads a slotNotification; null when it is malformed. */
export function parseSlotNotification(result: unknown): AnnouncedSlot | null {
  const slot = asSlot(fieldOf(result, 'slot'));
  return slot === null ? null : { slot, parent: asSlot(fieldOf(result, 'parent')) };
}

function asSlot(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** The updates of one node's subscription socket, one instance per connection. */
export class RpcUpdates implements UpdateStream {
  readonly #socket: NodeSocket;
  readonly #program: ChainProgram;
  readonly #encoding: ProgramEncoding;
  readonly #oracles = new Map<string, RpcSubscription>();
  #handlers: UpdateHandlers | null = null;

  constructor(
    socket: NodeSocket,
    program: ChainProgram,
    encoding: ProgramEncoding = 'base64+zstd',
  ) {
    this.#socket = socket;
    this.#program = program;
    this.#encoding = encoding;
  }

  async subscribeAll(handlers: UpdateHandlers): Promise<void> {
    this.#handlers = handlers;
    const { onSlot, onUpdate } = handlers;
    await Promise.all([
      this.#socket.subscribe('slotSubscribe', [], (result) =>
        onSlot(parseSlotNotification(result)),
      ),
      ...PROGRAM_KINDS.map((kind) => {
        const params = programSubscribeParams(this.#program, kind, this.#encoding);
        return this.#socket.subscribe('programSubscribe', params, (result) =>
          onUpdate(parseProgramNotification(kind, result)),
        );
      }),
      this.#socket.subscribe('accountSubscribe', accountSubscribeParams(CLOCK_KEY), (result) =>
        onUpdate(parseAccountNotification('clock', CLOCK_KEY, result)),
      ),
    ]);
  }

  async followOracles(keys: readonly string[]): Promise<void> {
    const wanted = new Set(keys);
    for (const [key, subscription] of this.#oracles) {
      if (wanted.has(key)) continue;
      this.#socket.unsubscribe(subscription);
      this.#oracles.delete(key);
    }
    const added = keys.filter((key) => !this.#oracles.has(key));
    await Promise.all(added.map((key) => this.#subscribeTo(key)));
  }

  async #subscribeTo(key: string): Promise<void> {
    const params = accountSubscribeParams(key);
    const subscription = await this.#socket.subscribe('accountSubscribe', params, (result) =>
      this.#handlers?.onUpdate(parseAccountNotification('oracle', key, result)),
    );
    this.#oracles.set(key, subscription);
  }
}
