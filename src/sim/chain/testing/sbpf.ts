/**
 * A small assembler for the virtual machine of Solana programs (sBPF version 0), sufficient for the
 * program of the local chain.
 *
 * Source: the instruction set of anza-xyz/sbpf (doc/bytecode.md) and the ELF64 format.
 */

/** A register of the machine; 10 is the read-only frame pointer. */
export type Register = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** 64-bit operations on two registers, or on a register and a number. */
const ALU = { add: 0x07, sub: 0x17, or: 0x47, and: 0x57, lsh: 0x67, rsh: 0x77, mov: 0xb7 } as const;
const LOAD = { u8: 0x71, u16: 0x69, u64: 0x79 } as const;
const STORE = { u8: 0x73, u64: 0x7b } as const;
/** The bit that is set when the second operand is a register. */
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

/** A runtime call that the loader resolves. */
export interface SystemCall {
  /** Offset of the call in the code, in bytes. */
  readonly at: number;
  readonly name: string;
}

/** Code that is being assembled, one instruction after the other. */
export class Assembler {
  readonly #instructions: Buffer[] = [];
  readonly #labels = new Map<string, number>();
  readonly #jumps: { readonly at: number; readonly addLabel: string }[] = [];
  readonly #systemCalls: SystemCall[] = [];

  /** Labels the next instruction. */
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

  /** Loads a 64-bit constant: `to = value`. */
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

  /** Jumps when `register >= other`, unsigned. */
  jumpIfAtLeast(register: Register, other: Register, label: string): void {
    this.#addJump(JUMP_AT_LEAST | OF_REGISTER, { to: register, from: other }, label);
  }

  /**
   * Calls the runtime with arguments in registers 1 to 5; the call overwrites these registers and
   * register 0.
   */
  addSystemCall(name: string): void {
    this.#systemCalls.push({ at: this.#instructions.length * INSTRUCTION_BYTES, name });
    this.#addInstruction(CALL, { from: 1, value: -1 });
  }

  /** Exits with a code; 0 is success. */
  exitWith(code: number): void {
    this.addArithmetic('mov', 0, code);
    this.#addInstruction(EXIT, {});
  }

  /** Returns the code with resolved jumps, and its runtime calls for the loader. */
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

/** A memory operand: a register and an offset. */
export interface Address {
  readonly from: Register;
  readonly offset?: number;
}
