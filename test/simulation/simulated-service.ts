/** The service of a run, from its settings to its stop: everything above the transports is the real one. */

import { serveBook } from '../../src/app/book-service.js';
import { dataFolder } from '../../src/app/data-folder.js';
import { liveOrigin } from '../../src/app/feeds.js';
import { historyOf } from '../../src/app/histories.js';
import { ConfigReader } from '../../src/config/config.js';
import type { Flags } from '../../src/config/setting-reader.js';
import type { Engine } from '../../src/engine/engine.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { currentMachine } from './globals.js';
import { closeCallsOf } from './stand-ins/http2.js';
import { closeFilesOf } from './stand-ins/libsql.js';
import { openPort } from './stand-ins/uws.js';
import { closeSocketsOf } from './stand-ins/ws.js';

/** One line of the service's log. */
type LogLine = (level: string, fields: unknown, message: string) => void;

type ServiceLog = Parameters<typeof serveBook>[2]['log'];

/** One run of the program, from its start to its end or its death. */
export class SimulatedService {
  readonly owner = currentMachine().time.newOwner();
  startedAtMs = 0;
  #engine: Engine | null = null;

  /** Starts the program as a process of its own. */
  start(flags: Flags, writeLine: LogLine): void {
    const { time } = currentMachine();
    this.startedAtMs = time.nowMs;
    time.plan(0, () => void this.#serve(flags, writeLine), this.owner);
  }

  /** The engine of the service; null before it has one. */
  get engine(): Engine | null {
    return this.#engine;
  }

  /** Ends the process wherever it is: its system closes its sockets and files. */
  kill(): void {
    const { time } = currentMachine();
    time.endOwner(this.owner);
    const isEnded = (owner: number): boolean => time.hasEnded(owner);
    closeSocketsOf(isEnded);
    closeCallsOf(isEnded);
    openPort()?.destroy();
    closeFilesOf(isEnded);
  }

  async #serve(flags: Flags, writeLine: LogLine): Promise<void> {
    const config = new ConfigReader(flags, {}).readService();
    const runtime = { log: logOf(writeLine), timers: systemTimers };
    const origin = liveOrigin(config, runtime);
    this.#engine = origin.engine;
    const history = historyOf(config, dataFolder(config.history), runtime, () =>
      origin.engine.markets(),
    );
    const service = await serveBook(config, { origin, history }, runtime);
    void service.failed.then((error) => writeLine('fatal', {}, error.message));
  }
}

function logOf(writeLine: LogLine): ServiceLog {
  const at = (level: string) => (fields: unknown, message: string) => {
    writeLine(level, fields, message);
  };
  return { info: at('info'), warn: at('warn'), error: at('error') } as unknown as ServiceLog;
}
