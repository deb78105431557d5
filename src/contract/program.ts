/** The programs whose rules and layouts are known, with their addresses on every cluster. */
export const PROGRAM_IDS = {
  drift: 'dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH',
  velocity: 'vELoC1audYbSYVRXn1vPaV8Axoa9oU6BYmNGZZBDZ1P',
} as const;

/** Their names. */
export const PROGRAM_NAMES = ['drift', 'velocity'] as const;

/** Drift v2, or Velocity, which is its successor. */
export type ProgramName = (typeof PROGRAM_NAMES)[number];

/** A program that holds an exchange's accounts. */
export interface ChainProgram {
  /** Its address, base58. */
  readonly programId: string;
  /** The program whose rules and layouts apply to the address. */
  readonly program: ProgramName;
}

/** Nominal duration of a slot, milliseconds. */
export const SLOT_MS = 400;

/** Returns the program by its address: any unknown address is treated as Drift v2. */
export function programAt(programId: string): ProgramName {
  return programId === PROGRAM_IDS.velocity ? 'velocity' : 'drift';
}
