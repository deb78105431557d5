import type { AccountProblem } from '../contract/accounts.js';
import { EngineError } from './errors.js';

/** Refused records of a turn whose text is stored; further ones are only counted. */
const REFUSED_KEPT_MAX = 64;

/** The accounts of a turn that were refused before they reached the core. */
export class RefusedAccounts {
  #count = 0;
  #problems: AccountProblem[] = [];

  get count(): number {
    return this.#count;
  }

  /** Adds the reason for which an account was refused; throws an error that is no refusal. */
  addRefusal(pubkey: string, error: unknown): void {
    if (!(error instanceof EngineError)) throw error;
    this.#count += 1;
    if (this.#problems.length >= REFUSED_KEPT_MAX) return;
    this.#problems.push({ pubkey, code: error.code, message: error.message });
  }

  /** Returns the first of them, and begins to count from 0. */
  takeProblems(): readonly AccountProblem[] {
    const problems = this.#problems;
    if (this.#count > 0) {
      this.#count = 0;
      this.#problems = [];
    }
    return problems;
  }
}
