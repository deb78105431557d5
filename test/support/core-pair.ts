import { expect } from 'vitest';
import { ServiceChild } from './service-child.js';
import { until } from './until.js';

/** Starts a core, as the writer of a log or as a standby. */
type StartCore = (start: typeof ServiceChild.core) => Promise<ServiceChild>;

interface Status {
  readonly state: string;
  readonly role?: string;
}

/** A core that writes a log, its standby, and the replacements of fenced cores. */
export class CorePair {
  readonly #start: StartCore;
  #cores: readonly [ServiceChild, ServiceChild];
  /** Cores that were fenced. */
  fenced = 0;

  private constructor(start: StartCore, cores: readonly [ServiceChild, ServiceChild]) {
    this.#start = start;
    this.#cores = cores;
  }

  static async start(start: StartCore): Promise<CorePair> {
    const pair = new CorePair(start, [await start(ServiceChild.core), await startOther(start)]);
    await pair.settle();
    pair.fenced = 0;
    return pair;
  }

  get writer(): ServiceChild {
    return this.#cores[0];
  }

  get standby(): ServiceChild {
    return this.#cores[1];
  }

  /**
   * Waits until one core writes and the other is a standby or has ended; an ended core is replaced
   * by a new standby.
   */
  async settle(): Promise<void> {
    while (!(await this.#isSettled()));
  }

  async #isSettled(): Promise<boolean> {
    const place = await until('one writer, and no second one', async () => {
      const roles = await Promise.all(this.#cores.map(roleOf));
      const stderr = this.#cores.map((core) => core.stderr).join();
      if (roles.every((role) => role === 'ended')) throw new Error(`both ended: ${stderr}`);
      const at = roles.indexOf('writer');
      return at >= 0 && ['ended', 'standby'].includes(roles[1 - at] ?? '') ? { at } : null;
    });
    const [writer, other] = place.at === 0 ? this.#cores : [this.standby, this.writer];
    this.#cores = [writer, other];
    if (other.isAlive) return true;
    expect(other.stderr).toContain('LOG_FENCED: another core writes the log');
    this.fenced += 1;
    this.#cores = [writer, await startOther(this.#start)];
    return false;
  }
}

/**
 * Starts a core next to a writer. When the writer pauses meanwhile, it loses the log and is fenced
 * when it resumes; then another core is started.
 */
async function startOther(start: StartCore): Promise<ServiceChild> {
  for (;;) {
    try {
      return await start(ServiceChild.eitherCore);
    } catch (error) {
      if (!String(error).includes('LOG_FENCED')) throw error;
    }
  }
}

/** The core's role; empty before it has one, and while it is ending. */
async function roleOf(core: ServiceChild): Promise<string> {
  if (!core.isAlive) return 'ended';
  // Its port is closed some time before its process ends.
  const reply = await core.get('/status').catch(() => null);
  if (reply === null) return '';
  const { role = '', state } = JSON.parse(reply.text) as Status;
  if (role !== 'core') return role;
  return state === 'live' ? 'writer' : '';
}
