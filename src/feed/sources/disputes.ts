/** What sources may disagree about, and how it is read. */
import type { NodeRpc } from '../../rpc/node-pool.js';
import type { Timers } from '../../rpc/timers.js';
import {
  type AccountBatch,
  type AccountKind,
  type AccountUpdate,
  parseMultipleAccounts,
} from '../model/account-update.js';
import { multipleAccountsParams } from '../model/queries.js';
import { DISPUTE_READ_MS_MAX } from './limits.js';
import type { Member } from './member.js';
import type { WriteLedger } from './write-ledger.js';

/** Who reads the chain for a judge. */
export interface Witness {
  /** Host and port: a node is no witness for its own subscriptions. */
  readonly name: string;
  readonly rpc: NodeRpc;
}

/** What a judge needs to know, and whom it tells. */
export interface JudgeOptions {
  readonly members: readonly Member[];
  readonly ledger: WriteLedger;
  readonly witnesses: readonly Witness[];
  readonly timers: Timers;
  readonly random: () => number;
  /** A source was wrong about an account. */
  readonly onWrong: (member: Member, reason: string) => void;
  /** A source has agreed for long enough. */
  readonly onTrusted: (member: Member) => void;
  /** What an account is, where the book may have had something else. */
  readonly onRead: (update: AccountUpdate) => void;
}

/** An account of which sources notified different things. */
export interface Dispute {
  readonly pubkey: string;
  readonly kind: AccountKind;
  /** At whose end they differed. */
  readonly slot: number;
  readonly sinceMs: number;
  /** What nodes read of it first, each by its name; the sources have not passed that slot yet. */
  readonly readings: Map<string, AccountUpdate>;
  /** The source that alone notified what the book has, and is not trusted any more; null where sources differ. */
  readonly toldBy: Member | null;
}

/** Reads the accounts of these disputes from one node. */
export async function readAccounts(
  rpc: NodeRpc,
  disputes: readonly Dispute[],
  signal: AbortSignal,
): Promise<AccountBatch> {
  const kinds = new Map(disputes.map(({ pubkey, kind }) => [pubkey, kind]));
  const keys = [...kinds.keys()];
  const parse = (result: unknown): AccountBatch =>
    parseMultipleAccounts(keys, (key) => kinds.get(key) ?? 'user', result);
  const options = { signal, timeoutMs: DISPUTE_READ_MS_MAX };
  return rpc.call('getMultipleAccounts', multipleAccountsParams(keys), parse, options);
}
