/**
 * A small assembler for the virtual machine of Solana programs (sBPF version 0): enough for one
 * program, which the local chain runs in place of the real one.
 *
 * Source: the instruction set of anza-xyz/sbpf (doc/bytecode.md) and the ELF64 format.
 */

/** One of the machine's registers; 10 is the frame pointer and is only read. */
export type Register = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** Operations of two registers, or of a register and a number, on 64 bits. */
const ALU = { add: 0x07, sub: 0x17, or: 0x47, and: 0x57, lsh: 0x67, rsh: 0x77, mov: 0xb7 } as const;
const LOAD = { u8: 0x71, u16: 0x69, u64: 0x79 } as const;
const STORE = { u8: 0x73, u64: 0x7b } as const;
/** Set when the second operand is a register. */
const OF_REGISTER = 0x08;
const LOAD_WIDE = 0x18;
const JUMP = 0x05;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const CALL = 0x85;
const EXIT = 0x95;
const INSTRUCTION_BYTES = 8;

interface Operands {
  readonly to?: number;
  readonly from?: number;
  readonly offset?: number;
  readonly value?: number;
}

/** A call of the runtime that the loader has to resolve. */
export interface SystemCall {
  /** Offset of the call in the code, in bytes. */
  readonly at: number;
  readonly name: string;
}

/** Code as it is written down, one instruction after the other. */
export class Assembler {
  readonly #instructions: Buffer[] = [];
  readonly #labels = new Map<string, number>();
  readonly #jumps: { readonly at: number; readonly addLabel: string }[] = [];
  readonly #systemCalls: SystemCall[] = [];

  /** Names the place of the next instruction. */
  label(name: string): void {
    this.#labels.set(name, this.#instructions.length);
  }

  /** `to = to operation value`. */
  addArithmetic(operation: keyof typeof ALU, to: Register, value: number): void {
    this.#addInstruction(ALU[operation], { to, value });
  }

  /** `to = to operation from`. */
  aluRegister(operation: keyof typeof ALU, to: Register, from: Register): void {
    this.#addInstruction(ALU[operation] | OF_REGISTER, { to, from });
  }

  /** `to = from + value`. */
  addOffset(to: Register, from: Register, value: number): void {
    this.aluRegister('mov', to, from);
    this.addArithmetic('add', to, value);
  }

  /** `to = value`, of 64 bits. */
  loadImmediate(to: Register, value: bigint): void {
    this.#addInstruction(LOAD_WIDE, { to, value: Number(BigInt.asIntN(32, value)) });
    this.#addInstruction(0, { value: Number(BigInt.asIntN(32, value >> 32n)) });
  }

  /** `to = *(from + offset)`. */
  loadMemory(width: keyof typeof LOAD, to: Register, { from, offset = 0 }: Address): void {
    this.#addInstruction(LOAD[width], { to, from, offset });
  }

  /** `*(from + offset) = value`. */
  storeMemory(width: keyof typeof STORE, { from, offset = 0 }: Address, value: Register): void {
    this.#addInstruction(STORE[width], { to: from, from: value, offset });
  }

  jumpTo(label: string): void {
    this.#addJump(JUMP, {}, label);
  }

  jumpIfEqual(register: Register, value: number, label: string): void {
    this.#addJump(JUMP_EQUAL, { to: register, value }, label);
  }

  /** Jumps when `register >= other`, both without sign. */
  jumpIfAtLeast(register: Register, other: Register, label: string): void {
    this.#addJump(JUMP_AT_LEAST | OF_REGISTER, { to: register, from: other }, label);
  }

  /** Calls the runtime with the arguments in registers 1 to 5, which it may change, as 0. */
  addSystemCall(name: string): void {
    this.#systemCalls.push({ at: this.#instructions.length * INSTRUCTION_BYTES, name });
    this.#addInstruction(CALL, { from: 1, value: -1 });
  }

  /** Ends the program with a code; 0 is success. */
  exitWith(code: number): void {
    this.addArithmetic('mov', 0, code);
    this.#addInstruction(EXIT, {});
  }

  /** The code, with its jumps resolved, and the calls that the loader resolves. */
  toProgram(): { readonly code: Buffer; readonly systemCalls: readonly SystemCall[] } {
    for (const { at, addLabel: label } of this.#jumps) {
      const target = this.#labels.get(label);
      if (target === undefined) throw new Error(`Invariant: there is a label ${label}`);
      this.#instructions[at]?.writeInt16LE(target - at - 1, 2);
    }
    return { code: Buffer.concat(this.#instructions), systemCalls: this.#systemCalls };
  }

  #addJump(opcode: number, operands: Operands, label: string): void {
    this.#jumps.push({ at: this.#instructions.length, addLabel: label });
    this.#addInstruction(opcode, operands);
  }

  #addInstruction(opcode: number, { to = 0, from = 0, offset = 0, value = 0 }: Operands): void {
    const bytes = Buffer.alloc(INSTRUCTION_BYTES);
    bytes.writeUInt8(opcode, 0);
    bytes.writeUInt8((from << 4) | to, 1);
    bytes.writeInt16LE(offset, 2);
    bytes.writeInt32LE(value, 4);
    this.#instructions.push(bytes);
  }
}

/** A place in memory, by a register that holds an address near it. */
export interface Address {
  readonly from: Register;
  readonly offset?: number;
}
