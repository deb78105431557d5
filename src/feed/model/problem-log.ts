import type { AccountProblem } from '../../contract/accounts.js';
import type { Log } from '../../rpc/log.js';
import { PROBLEMS_LOGGED_MAX } from './limits.js';

/** Names each account that cannot be taken in once; the engine counts every time. */
export class ProblemLog {
  readonly #log: Log;
  readonly #named = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  logProblems(problems: readonly AccountProblem[]): void {
    for (const { pubkey, code, message } of problems) {
      const name = `${pubkey ?? ''} ${code}`;
      if (this.#named.has(name) || this.#named.size >= PROBLEMS_LOGGED_MAX) continue;
      this.#named.add(name);
      this.#log.warn({ pubkey, code, problem: message }, 'an account is left out');
    }
  }
}
