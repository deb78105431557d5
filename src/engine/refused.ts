import type { AccountProblem } from '../contract/accounts.js';
import { EngineError } from './errors.js';

/** Records that were refused before they reached the core, kept with their text per turn. */
const REFUSED_KEPT_MAX = 64;

/** The accounts of a turn that could not even be handed to the core. */
export class Refused {
  #count = 0;
  #problems: AccountProblem[] = [];

  get count(): number {
    return this.#count;
  }

  /** Notes why an account was refused; what is no refusal is thrown on. */
  note(pubkey: string, error: unknown): void {
    if (!(error instanceof EngineError)) throw error;
    this.#count += 1;
    if (this.#problems.length >= REFUSED_KEPT_MAX) return;
    this.#problems.push({ pubkey, code: error.code, message: error.message });
  }

  /** The first of them; they are counted from 0 again. */
  take(): readonly AccountProblem[] {
    const problems = this.#problems;
    if (this.#count > 0) {
      this.#count = 0;
      this.#problems = [];
    }
    return problems;
  }
}
