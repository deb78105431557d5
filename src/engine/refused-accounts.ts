import type { AccountProblem } from '../contract/accounts.js';
import { EngineError } from './errors.js';

/** The number of errors of a turn that are stored; further errors are only counted. */
const REFUSED_KEPT_MAX = 64;

/** The accounts of a turn that could not be encoded for the core. */
export class RefusedAccounts {
  #count = 0;
  #problems: AccountProblem[] = [];

  get count(): number {
    return this.#count;
  }

  /** Records why an account was refused. Rethrows any other error. */
  addRefusal(pubkey: string, error: unknown): void {
    if (!(error instanceof EngineError)) throw error;
    this.#count += 1;
    if (this.#problems.length >= REFUSED_KEPT_MAX) return;
    this.#problems.push({ pubkey, code: error.code, message: error.message });
  }

  /** Returns the stored errors and resets the count. */
  takeProblems(): readonly AccountProblem[] {
    const problems = this.#problems;
    if (this.#count > 0) {
      this.#count = 0;
      this.#problems = [];
    }
    return problems;
  }
}
