import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Timers } from '../contract/timers.js';
import { RpcClient } from './client.js';

/** Maximum delay of the start. */
const WARM_UP_MS_MAX = 1_000;

/**
 * Makes one call to a loopback server of its own, so that Node.js loads and compiles its HTTP
 * client, about 15 ms of CPU, before clients are served. A failure has no other effect than a
 * slower first call.
 */
export async function warmCalls(timers: Timers): Promise<void> {
  const server = createServer((_, response) => response.end('{"jsonrpc":"2.0","id":1,"result":0}'));
  try {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const client = new RpcClient({ url: `http://127.0.0.1:${port}`, timers, attemptsMax: 1 });
    await client.call('getSlot', [], () => null, { timeoutMs: WARM_UP_MS_MAX });
  } catch {
    // The service may start without it.
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
