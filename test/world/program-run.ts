/** Runs a script of the event program: what it changes and what it logs. */
import type { TransactionInstruction } from '@solana/web3.js';
import { STEP } from '../../src/sim/chain/event-program.js';

/** What one instruction does. */
interface ProgramRun {
  /** As the runtime writes the log of a transaction. */
  readonly lines: readonly string[];
  /** The new data of accounts, by their places in the instruction. */
  readonly changed: ReadonlyMap<number, Buffer>;
}

/** Throws where the script fails, and nothing has changed. */
export function runScript(
  { programId, keys, data }: TransactionInstruction,
  dataOf: (account: number) => Buffer | undefined,
): ProgramRun {
  const program = programId.toBase58();
  const lines = [`Program ${program} invoke [1]`];
  const changed = new Map<number, Buffer>();
  let event = Buffer.alloc(0);
  let at = 0;
  const take = (count: number): Buffer => {
    at += count;
    return data.subarray(at - count, at);
  };
  const add = (bytes: Uint8Array): void => {
    event = Buffer.concat([event, bytes]);
  };
  const log = (line: string): void => {
    lines.push(line);
    event = Buffer.alloc(0);
  };
  while (at < data.length) {
    const step = take(1).readUInt8();
    if (step === STEP.patch) {
      const account = take(1).readUInt8();
      const length = take(1).readUInt8();
      const offset = take(2).readUInt16LE();
      const bytes = changed.get(account) ?? Buffer.from(dataOf(account) ?? []);
      changed.set(account, bytes);
      bytes.set(take(length), offset);
    } else if (step === STEP.bytes) add(take(take(1).readUInt8()));
    else if (step === STEP.key) add(keys[take(1).readUInt8()]?.pubkey.toBytes() ?? Buffer.alloc(0));
    else if (step === STEP.logData) log(`Program data: ${event.toString('base64')}`);
    else if (step === STEP.logBase64) log(`Program log: ${event.toString('base64')}`);
    else if (step === STEP.logText) log(`Program log: ${event.toString()}`);
    else throw new Error(`Program ${program} failed: custom program error: 0x1`);
  }
  lines.push(`Program ${program} success`);
  return { lines, changed };
}
