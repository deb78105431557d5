/** A core or an edge with all that its command starts, as a process of its own on virtual time. */
import { serveBook } from '../../src/app/book-service.js';
import { coreOrigin } from '../../src/app/core-origin.js';
import { edgeOrigin } from '../../src/app/edge-origin.js';
import { createLog } from '../../src/app/log.js';
import { ConfigReader } from '../../src/config/config.js';
import type { Flags } from '../../src/config/setting-reader.js';
import type { Engine } from '../../src/engine/engine.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { currentMachine } from '../simulation/globals.js';
import { closeSocketsOf } from '../simulation/stand-ins/ws.js';

/** One process from its start to its end. */
export class ClusterMember {
  readonly #time = currentMachine().time;
  readonly #owner = this.#time.newOwner();
  engine: Engine | null = null;
  /** Its address; empty before it serves. */
  url = '';
  /** Why it ended by itself; null while it runs. */
  ended: string | null = null;

  constructor(role: 'core' | 'edge', flags: Flags) {
    const end = (error: unknown): void => {
      this.ended = String(error);
    };
    this.#time.plan(0, () => void this.#serve(role, flags).then(end, end), this.#owner);
  }

  get state(): string {
    return this.engine?.state ?? 'starting';
  }

  /** Its host is gone: connections to the log stay open, and nothing comes any more. */
  kill(): void {
    this.#time.endOwner(this.#owner);
    closeSocketsOf((owner) => this.#time.hasEnded(owner));
  }

  /** The process is stopped, and goes on after this time. */
  pause(ms: number): void {
    this.#time.pauseOwner(this.#owner, ms);
  }

  async #serve(role: 'core' | 'edge', flags: Flags): Promise<Error> {
    const config = new ConfigReader({ port: '0', logLevel: 'silent', ...flags }, {});
    const settings = role === 'edge' ? config.readEdge() : config.readCore();
    const runtime = { log: createLog(settings), timers: systemTimers };
    const origin =
      'log' in settings ? await coreOrigin(settings, runtime) : edgeOrigin(settings, runtime);
    this.engine = origin.engine;
    const readers = role === 'edge' ? 'all' : 'none';
    const service = await serveBook(settings, { origin, readers, print: () => undefined }, runtime);
    this.url = service.url;
    return service.failed;
  }
}
