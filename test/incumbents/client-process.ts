import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { ScriptedClient } from './scripted-clients.js';

/** A client as its registry has it, in a process of its own that prints the name of what works, line by line. */
export class ClientProcess implements ScriptedClient {
  readonly #child: ChildProcess;
  readonly #seen = new Set<string>();
  /** The last line that names nothing that was asked for. */
  #lastWords = '';

  constructor(
    command: readonly [program: string, ...args: string[]],
    private readonly names: readonly string[],
  ) {
    const [program, ...args] = command;
    this.#child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream === null) throw new Error('Invariant: the output of a client is piped');
      createInterface({ input: stream }).on('line', (line) => this.#handleLine(line));
    }
  }

  missing(): string | undefined {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return `its life: ${this.#lastWords}`;
    const missing = this.names.filter((name) => !this.#seen.has(name));
    return missing.length === 0 ? undefined : `${missing.join(', ')} (${this.#lastWords})`;
  }

  forget(): void {
    this.#seen.clear();
  }

  async stop(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }

  #handleLine(line: string): void {
    if (this.names.includes(line)) this.#seen.add(line);
    else if (line.trim() !== '') this.#lastWords = line;
  }
}
