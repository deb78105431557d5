/** A benchmark engine in its own process: one command at a time, a line each way. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export class EngineProcess {
  #child;
  #answers;
  #ended;

  constructor(command, args) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#ended = once(this.#child, 'close');
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  get pid() {
    return this.#child.pid;
  }

  /** Sends one command and waits for its response; the engine is idle before and after. */
  async ask(command) {
    this.#child.stdin.write(`${command}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error(`engine ended at: ${command.slice(0, 100)}`);
    const answer = JSON.parse(value);
    if (answer.error) throw new Error(`${answer.error} at: ${command.slice(0, 100)}`);
    return answer;
  }

  async stop() {
    this.#child.stdin.end();
    await this.#ended;
  }
}
