import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A program whose output is read line by line. */
export class LineProcess {
  readonly #child: ChildProcess;
  /** The last line of its errors; empty without one. */
  lastError = '';

  constructor(
    [program, ...args]: readonly [program: string, ...args: string[]],
    onLine: (line: string) => void,
  ) {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    createInterface({ input: child.stdout }).on('line', onLine);
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.trim() !== '') this.lastError = line;
    });
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async stop(): Promise<void> {
    if (!this.isAlive) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}
