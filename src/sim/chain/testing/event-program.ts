/** The instructions of the local chain's program. */
import { STEP } from '../event-program.js';
import { elfOf } from './elf.js';
import { Assembler, type Register } from './sbpf.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const PADDING = '='.charCodeAt(0);

/** The address of the program's heap. */
const HEAP = 0x3_0000_0000n;
/**
 * Offsets in the heap. A table entry contains the addresses of an account's key and of its data.
 */
const AT = { alphabet: 0, table: 64, slice: 1_008, event: 1_024, text: 4_096 } as const;
const ENTRY_BYTES_LOG2 = 4;

/**
 * Offsets within an account in the runtime's input: key, length, data. The data is followed by room
 * for growth, then 8 bytes of rent epoch.
 */
const INPUT = { key: 8, length: 80, data: 88, growth: 10_240, tail: 8 } as const;

/** Registers that runtime calls preserve. */
const CURSOR: Register = 6;
const END: Register = 7;
const EVENT_END: Register = 8;
const MEMORY: Register = 9;

/** The program's only error, for the step `fail` and for unknown steps. */
const FAILED = 1;

/** Returns the program as an ELF file for the chain's loader. */
export function assembleProgram(): Buffer {
  const code = new Assembler();
  code.aluRegister('mov', CURSOR, 1);
  writeAlphabet(code);
  readAccounts(code);
  code.label('next');
  code.jumpIfAtLeast(CURSOR, END, 'done');
  code.loadMemory('u8', 1, { from: CURSOR });
  code.addArithmetic('add', CURSOR, 1);
  for (const [name, step] of Object.entries(STEP)) code.jumpIfEqual(1, step, name);
  code.label('fail');
  code.exitWith(FAILED);
  writePatch(code);
  writeBytes(code);
  writeKey(code);
  writeLogData(code);
  writeLogBase64(code);
  writeLogText(code);
  code.label('done');
  code.exitWith(0);
  return elfOf(code.toProgram());
}

function writeAlphabet(code: Assembler): void {
  code.loadImmediate(MEMORY, HEAP);
  const alphabet = Buffer.from(ALPHABET, 'latin1');
  for (let at = 0; at < alphabet.length; at += 8) {
    code.loadImmediate(1, alphabet.readBigUInt64LE(at));
    code.storeMemory('u64', { from: MEMORY, offset: AT.alphabet + at }, 1);
  }
}

/**
 * Stores the address of each account, and leaves the cursor at the script. No account may occur
 * twice.
 */
function readAccounts(code: Assembler): void {
  code.loadMemory('u64', 2, { from: CURSOR });
  code.addArithmetic('add', CURSOR, 8);
  code.addOffset(3, MEMORY, AT.table);
  code.label('account');
  code.jumpIfEqual(2, 0, 'accounts read');
  code.addOffset(4, CURSOR, INPUT.key);
  code.storeMemory('u64', { from: 3 }, 4);
  code.addOffset(4, CURSOR, INPUT.data);
  code.storeMemory('u64', { from: 3, offset: 8 }, 4);
  code.loadMemory('u64', 5, { from: CURSOR, offset: INPUT.length });
  // The data is padded to a multiple of 8.
  code.addArithmetic('add', 5, INPUT.growth + 7);
  code.addArithmetic('and', 5, -8);
  code.addArithmetic('add', 5, INPUT.data + INPUT.tail);
  code.aluRegister('add', CURSOR, 5);
  code.addArithmetic('add', 3, 1 << ENTRY_BYTES_LOG2);
  code.addArithmetic('sub', 2, 1);
  code.jumpTo('account');
  code.label('accounts read');
  code.loadMemory('u64', END, { from: CURSOR });
  code.addArithmetic('add', CURSOR, 8);
  code.aluRegister('add', END, CURSOR);
  code.addOffset(EVENT_END, MEMORY, AT.event);
}

/**
 * Sets `to` to the address of the key (0) or the data (8) of the account whose number is in `to`.
 */
function findAccount(code: Assembler, to: Register, part: 0 | 8): void {
  code.addArithmetic('lsh', to, ENTRY_BYTES_LOG2);
  code.aluRegister('add', to, MEMORY);
  code.loadMemory('u64', to, { from: to, offset: AT.table + part });
}

function writePatch(code: Assembler): void {
  code.label('patch');
  code.loadMemory('u8', 1, { from: CURSOR });
  findAccount(code, 1, 8);
  code.loadMemory('u16', 2, { from: CURSOR, offset: 2 });
  code.aluRegister('add', 1, 2);
  code.loadMemory('u8', 3, { from: CURSOR, offset: 1 });
  code.addOffset(2, CURSOR, 4);
  code.addArithmetic('add', CURSOR, 4);
  code.aluRegister('add', CURSOR, 3);
  code.addSystemCall('sol_memcpy_');
  code.jumpTo('next');
}

function writeBytes(code: Assembler): void {
  code.label('bytes');
  code.loadMemory('u8', 3, { from: CURSOR });
  code.aluRegister('mov', 1, EVENT_END);
  code.addOffset(2, CURSOR, 1);
  code.addArithmetic('add', CURSOR, 1);
  code.aluRegister('add', CURSOR, 3);
  code.aluRegister('add', EVENT_END, 3);
  code.addSystemCall('sol_memcpy_');
  code.jumpTo('next');
}

function writeKey(code: Assembler): void {
  code.label('key');
  code.loadMemory('u8', 2, { from: CURSOR });
  code.addArithmetic('add', CURSOR, 1);
  findAccount(code, 2, 0);
  code.aluRegister('mov', 1, EVENT_END);
  code.addArithmetic('mov', 3, 32);
  code.addArithmetic('add', EVENT_END, 32);
  code.addSystemCall('sol_memcpy_');
  code.jumpTo('next');
}

function writeLogData(code: Assembler): void {
  code.label('logData');
  code.addOffset(1, MEMORY, AT.event);
  code.storeMemory('u64', { from: MEMORY, offset: AT.slice }, 1);
  code.aluRegister('mov', 2, EVENT_END);
  code.aluRegister('sub', 2, 1);
  code.storeMemory('u64', { from: MEMORY, offset: AT.slice + 8 }, 2);
  code.addOffset(1, MEMORY, AT.slice);
  code.addArithmetic('mov', 2, 1);
  code.addSystemCall('sol_log_data');
  beginEvent(code);
}

/** Three bytes become four characters; the last group is padded. */
function writeLogBase64(code: Assembler): void {
  code.label('logBase64');
  code.addArithmetic('mov', 4, 0);
  code.storeMemory('u8', { from: EVENT_END }, 4);
  code.storeMemory('u8', { from: EVENT_END, offset: 1 }, 4);
  code.addOffset(1, MEMORY, AT.event);
  code.addOffset(2, MEMORY, AT.text);
  code.label('three');
  code.jumpIfAtLeast(1, EVENT_END, 'padding');
  code.addArithmetic('mov', 3, 0);
  for (const offset of [0, 1, 2]) {
    code.addArithmetic('lsh', 3, 8);
    code.loadMemory('u8', 4, { from: 1, offset });
    code.aluRegister('or', 3, 4);
  }
  for (const offset of [0, 1, 2, 3]) {
    code.aluRegister('mov', 4, 3);
    code.addArithmetic('rsh', 4, 18 - 6 * offset);
    code.addArithmetic('and', 4, 63);
    code.aluRegister('add', 4, MEMORY);
    code.loadMemory('u8', 4, { from: 4, offset: AT.alphabet });
    code.storeMemory('u8', { from: 2, offset }, 4);
  }
  code.addArithmetic('add', 1, 3);
  code.addArithmetic('add', 2, 4);
  code.jumpTo('three');
  writePadding(code);
  code.addOffset(1, MEMORY, AT.text);
  code.aluRegister('sub', 2, 1);
  code.addSystemCall('sol_log_');
  beginEvent(code);
}

function writePadding(code: Assembler): void {
  code.label('padding');
  code.aluRegister('sub', 1, EVENT_END);
  code.addArithmetic('mov', 4, PADDING);
  code.jumpIfEqual(1, 0, 'padded');
  code.storeMemory('u8', { from: 2, offset: -1 }, 4);
  code.jumpIfEqual(1, 1, 'padded');
  code.storeMemory('u8', { from: 2, offset: -2 }, 4);
  code.label('padded');
}

function writeLogText(code: Assembler): void {
  code.label('logText');
  code.addOffset(1, MEMORY, AT.event);
  code.aluRegister('mov', 2, EVENT_END);
  code.aluRegister('sub', 2, 1);
  code.addSystemCall('sol_log_');
  beginEvent(code);
}

function beginEvent(code: Assembler): void {
  code.addOffset(EVENT_END, MEMORY, AT.event);
  code.jumpTo('next');
}
