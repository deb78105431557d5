/** The transactions that write users, one a slot, and what their logs say. */
import { createHash } from 'node:crypto';
import { programAt } from '../../src/contract/program.js';
import { decodeBase58, encodeBase58 } from '../../src/history/store/base58.js';
import { LAYOUTS } from '../../src/sim/bytes/generated/layout.js';
import type { Random } from '../../src/sim/random.js';
import { fillLog } from '../support/fill-log.js';
import type { AccountState } from './model-chain.js';
import type { NodeFaults } from './node-faults.js';

/** A confirmed transaction. */
export interface WriteLog {
  readonly signature: string;
  readonly slot: number;
  /** Its block time, unix seconds. */
  readonly second: number;
  /** The address of the program that runs. */
  readonly program: string;
  readonly users: readonly string[];
}

/** A new order of a user, and the address of its program. */
interface PlacedOrder extends Pick<WriteLog, 'second' | 'program'> {
  readonly user: string;
}

const ORDER_RECORD = Buffer.from('681340385915025a', 'hex');
const KEY_BYTES = 32;
const NO_BYTES = Buffer.alloc(0);

/** The event of an order that a user placed, all of zeros. */
function orderEvent({ user, second, program }: PlacedOrder): Buffer {
  const ts = Buffer.alloc(8);
  ts.writeBigInt64LE(BigInt(second));
  const key = decodeBase58(user, KEY_BYTES) ?? NO_BYTES;
  return Buffer.concat([
    ORDER_RECORD,
    ts,
    key,
    Buffer.alloc(LAYOUTS[programAt(program)].ORDER.size),
  ]);
}

/** What the runtime writes of a transaction, with a record of an order for each of these users. */
function linesOf({ users, second, program }: Omit<WriteLog, 'signature'>): readonly string[] {
  const records = users.map((user) => {
    return `Program data: ${orderEvent({ user, second, program }).toString('base64')}`;
  });
  return [`Program ${program} invoke [1]`, ...records, `Program ${program} success`];
}

/** The transaction of a slot. */
export function writeLogOf(
  at: Omit<WriteLog, 'signature' | 'users'>,
  users: readonly string[],
): WriteLog {
  const signature = encodeBase58(createHash('sha512').update(`writes ${at.slot}`).digest());
  return { signature, ...at, users };
}

/** A node's response of getTransaction: the users are accounts that it may write. */
export function transactionText(log: WriteLog): string {
  const { slot, second, users, program } = log;
  const header = {
    numRequiredSignatures: 0,
    numReadonlySignedAccounts: 0,
    numReadonlyUnsignedAccounts: 1,
  };
  const message = { header, accountKeys: [...users, program] };
  const meta = {
    err: null,
    logMessages: linesOf(log),
    loadedAddresses: { writable: [], readonly: [] },
  };
  return JSON.stringify({ slot, blockTime: second, transaction: { message }, meta });
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

  linesOf({ users, ...at }: WriteLog): readonly string[] {
    const named = users.filter((user) => !this.#unnamed.delete(`${user} ${at.slot}`));
    return linesOf({ ...at, users: named });
  }
}

const FOREIGN = 'foreignProgram1111111111111111111111111111111';
/** Fills have lower numbers. */
const FORGED_ID = 1_000_000;

/** The lines of a transaction, around and in which a foreign program writes what looks like a fill. */
export function withForeignLines(lines: readonly string[], slot: number): readonly string[] {
  const [first = '', ...rest] = lines;
  const [begins = '', forged = '', ends = ''] = fillLog(FORGED_ID + slot, 1, FOREIGN);
  const broken = `${forged.slice(0, -20)}!${forged.slice(-20)}`;
  const spoken = [`Program log: ${first}`, `Program log: end\n${first}`];
  const within = [begins.replace('[1]', '[2]'), forged, ...spoken, forged, broken, ends];
  return [begins, forged, ends, first, ...within, ...rest, begins, ...spoken, forged, ends];
}
