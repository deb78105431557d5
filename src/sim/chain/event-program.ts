/**
 * The program of the local chain, under the id of the Drift v2 program. It implements no rules:
 * each instruction is a script of account patches and logged events, so that one signed transaction
 * does both, as a real fill does.
 *
 * It does not check signers, because the chain lives only as long as its test or demo.
 * `testing/event-program.ts` has its instructions; a test assembles them and compares the file.
 */
import { EVENT_PROGRAM } from './generated/event-program.js';

/** The steps of a script; each is one byte followed by its operands. */
export const STEP = {
  /** account u8, length u8, offset u16, bytes: overwrites bytes of an account's data. */
  patch: 0,
  /** length u8, bytes: appends bytes to the event. */
  bytes: 1,
  /** account u8: appends an account's key to the event. */
  key: 2,
  /** Logs the event as `Program data:`, like `emit!`, and starts another. */
  logData: 3,
  /** Logs the event in base64 as `Program log:`, like `emit_stack`, and starts another. */
  logBase64: 4,
  /** Logs the event as the text of `Program log:`, and starts another. */
  logText: 5,
  /** Fails the transaction, which reverts its changes but keeps its log. */
  fail: 6,
} as const;

/** Returns the program as an ELF file for the chain's loader. */
export function eventProgram(): Buffer {
  return Buffer.from(EVENT_PROGRAM, 'base64');
}
