import { type Log, silentLog } from '../log.js';

/** Logs what a server says when it ends a stream, once for each text: one that refuses says the same each time. */
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
