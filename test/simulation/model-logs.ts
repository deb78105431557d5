/** The transactions that write users, one a slot, and what their logs say. */
import { createHash } from 'node:crypto';
import { decodeBase58, encodeBase58 } from '../../src/history/store/base58.js';
import { PROGRAM_ID as PROGRAM } from '../../src/sim/bytes/keys.js';
import type { Random } from '../../src/sim/random.js';
import type { AccountState } from './model-chain.js';
import type { NodeFaults } from './node-faults.js';

/** A confirmed transaction. */
export interface WriteLog {
  readonly signature: string;
  readonly slot: number;
  readonly users: readonly string[];
}

const ORDER_RECORD = Buffer.from('681340385915025a', 'hex');
/** The time before the user in an OrderRecord, and the order after it. */
const TS_BYTES = 8;
const ORDER_BYTES = 96;
const KEY_BYTES = 32;
const NO_BYTES = Buffer.alloc(0);

/** What the runtime writes of a transaction, with a record of an order for each of these users. */
function linesOf(users: readonly string[]): readonly string[] {
  const records = users.map((user) => {
    const fields = [
      Buffer.alloc(TS_BYTES),
      decodeBase58(user, KEY_BYTES) ?? NO_BYTES,
      Buffer.alloc(ORDER_BYTES),
    ];
    return `Program data: ${Buffer.concat([ORDER_RECORD, ...fields]).toString('base64')}`;
  });
  return [`Program ${PROGRAM} invoke [1]`, ...records, `Program ${PROGRAM} success`];
}

/** The transaction of a slot. */
export function writeLogOf(slot: number, users: readonly string[]): WriteLog {
  const signature = encodeBase58(createHash('sha512').update(`writes ${slot}`).digest());
  return { signature, slot, users };
}

/** A node's response of getTransaction: the users are accounts that it may write. */
export function transactionText({ slot, users }: WriteLog): string {
  const header = {
    numRequiredSignatures: 0,
    numReadonlySignedAccounts: 0,
    numReadonlyUnsignedAccounts: 1,
  };
  const message = { header, accountKeys: [...users, PROGRAM] };
  const meta = {
    err: null,
    logMessages: linesOf(users),
    loadedAddresses: { writable: [], readonly: [] },
  };
  return JSON.stringify({ slot, blockTime: null, transaction: { message }, meta });
}

/** Users that a node does not notify, some of them neither in the logs. */
export class LostUsers {
  readonly #random: Random;
  /** Users that the log of a slot leaves out. */
  readonly #unnamed = new Set<string>();

  constructor(random: Random) {
    this.#random = random;
  }

  losesUser({ pubkey, slot }: Pick<AccountState, 'pubkey' | 'slot'>, faults: NodeFaults): boolean {
    const { lostUsers, lostWithLogs } = faults;
    if (lostUsers + lostWithLogs === 0) return false;
    const chance = this.#random.nextBelow(1_000_000) / 1_000_000;
    if (chance < lostWithLogs) this.#unnamed.add(`${pubkey} ${slot}`);
    return chance < lostWithLogs + lostUsers;
  }

  linesOf({ users, slot }: WriteLog): readonly string[] {
    return linesOf(users.filter((user) => !this.#unnamed.delete(`${user} ${slot}`)));
  }
}
