import { type Log, silentLog } from '../log.js';

/**
 * Logs the server's message when a stream ends, once for each text, because a refusing server
 * repeats it.
 */
export class ServerTexts {
  readonly #server: string;
  readonly #log: Log;
  #last: string | undefined;

  constructor(server: string, log: Log = silentLog) {
    this.#server = server;
    this.#log = log;
  }

  logText(serverText: string | undefined): void {
    if (serverText === undefined || serverText === this.#last) return;
    this.#last = serverText;
    this.#log.warn({ server: this.#server, serverText }, 'a stream of gRPC failed');
  }
}
