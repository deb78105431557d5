import { LineProcess } from '../support/line-process.js';
import type { ScriptedClient } from './scripted-clients.js';

/** A client as its registry has it, in a process of its own that prints what works, line by line. */
export class ClientProcess implements ScriptedClient {
  readonly #process: LineProcess;
  readonly #seen = new Set<string>();
  /** The last line that names nothing that was asked for. */
  #lastWords = '';

  /** `nameOf` says what a line tells of; `names` is all that is asked for. */
  constructor(
    command: readonly [program: string, ...args: string[]],
    private readonly names: readonly string[],
    nameOf: (line: string) => string = (line) => line,
  ) {
    this.#process = new LineProcess(command, (line) => {
      const name = nameOf(line);
      if (names.includes(name)) this.#seen.add(name);
      else this.#lastWords = line;
    });
  }

  missing(): string | undefined {
    const words = `${this.#lastWords} ${this.#process.lastError}`;
    if (!this.#process.isAlive) return `its life: ${words}`;
    const missing = this.names.filter((name) => !this.#seen.has(name));
    return missing.length === 0 ? undefined : `${missing.join(', ')} (${words})`;
  }

  forget(): void {
    this.#seen.clear();
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}
