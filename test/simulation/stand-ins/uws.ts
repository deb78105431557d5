/** Stands in for the transport over uWebSockets.js. */
import type { Listener, ListenOptions } from '../../../src/server/transport/uws.js';

/** Binds nothing. */
export async function listen(_options: ListenOptions): Promise<Listener> {
  return { port: 1, publish: () => undefined, close: () => undefined };
}
