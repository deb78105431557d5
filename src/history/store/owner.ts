/** Whose records a store has: the first writer sets it, and every later one must be of the same. */
import { isPublicKey } from '../../config/public-key.js';
import { PROGRAM_IDS, type ProgramName } from '../../contract/program.js';
import type { Connection } from './connection.js';
import { StoreError } from './error.js';
import { rowSum } from './row-sum.js';

/** The chain of a store, and the program whose transactions it has; undefined for any. */
export interface StoreOwner {
  readonly genesisHash: string;
  readonly programId?: string | undefined;
  /** The program whose rules it has; by default that of its address. */
  readonly program?: ProgramName | undefined;
}

/** Makes a new store that of an owner, and refuses one of another chain or program. */
export function claimStore(connection: Connection, owner: StoreOwner): void {
  claim(connection, 'genesis_hash', owner.genesisHash);
  if (owner.programId !== undefined) {
    const isVelocity = owner.programId === PROGRAM_IDS.velocity;
    claim(connection, 'program', owner.programId);
    claim(connection, 'rules', owner.program ?? (isVelocity ? 'velocity' : 'drift'));
  }
  requireOwner(connection, owner);
}

/** The program whose layouts the records of a store have. */
export function storedRules(connection: Connection): ProgramName {
  return storedValue(connection, 'rules') === 'velocity' ? 'velocity' : 'drift';
}

/** The program of a store, undefined for any, and its rules. */
export function storedProgram(connection: Connection): Omit<StoreOwner, 'genesisHash'> {
  const programId = storedValue(connection, 'program') ?? undefined;
  return { programId, program: storedRules(connection) };
}

/** Refuses a store of another chain or program, and one of no chain. */
export function requireOwner(connection: Connection, { genesisHash, programId }: StoreOwner): void {
  const chain = storedValue(connection, 'genesis_hash');
  if (chain !== genesisHash) {
    const other = isPublicKey(String(chain)) ? `the chain ${chain}` : 'no chain';
    throw foreign(connection, other, genesisHash);
  }
  const program = storedValue(connection, 'program');
  if (program === null || programId === undefined || program === programId) return;
  throw foreign(connection, `the program ${program}`, programId);
}

function claim(connection: Connection, name: string, value: string): void {
  const text = 'insert into meta (name, value, sum) values (?, ?, ?) on conflict do nothing';
  connection.changeRows(text, [name, value, rowSum([name, value])]);
}

function storedValue(connection: Connection, name: string): string | null {
  const [stored] = connection.readRow('select value from meta where name = ?', [name]) ?? [];
  return stored === undefined ? null : String(stored);
}

function foreign({ engine, file }: Connection, other: string, own: string): StoreError {
  const what = engine === 'file' ? 'file' : 'database';
  return new StoreError('foreign', `the ${what} is of ${other}, not of ${own}: ${file}`);
}
