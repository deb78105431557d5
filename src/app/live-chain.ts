import type { CoreConfig } from '../config/config.js';
import { JournalError } from '../journal/model/error.js';
import { loggedFailure } from '../rpc/error.js';
import { readGenesisHash } from '../rpc/methods.js';
import { createNodes } from '../rpc/node-pool.js';
import { sleep } from '../rpc/timers.js';
import type { Runtime } from './runtime.js';

/** Between two rounds in which all nodes are asked for their chain. */
const CHAIN_RETRY_MS = 1_000;

/** The one chain of a book. */
export interface LiveChain {
  /** Its name, base58. */
  readonly genesisHash: string;
  /** All nodes are of this one now: throws. */
  readonly onLeft: (genesisHash: string) => never;
}

/** The chain of the first node that says which: a log is that of one chain. While none does they are asked again. */
export async function readChain({ nodes }: CoreConfig, { log, timers }: Runtime): Promise<string> {
  for (const asked = createNodes(nodes, timers); ; ) {
    for (const { name, rpc } of asked) {
      try {
        return await readGenesisHash(rpc);
      } catch (error) {
        log.warn({ node: name, reason: loggedFailure(error) }, 'the node does not say its chain');
      }
    }
    await sleep(timers, CHAIN_RETRY_MS);
  }
}

/** The chain of a core: another one is not for its log, so it ends. */
export function chainOf(genesisHash: string, end: (error: Error) => void): LiveChain {
  return {
    genesisHash,
    onLeft: (found) => {
      const message = `the nodes are of the chain ${found} now, the log of ${genesisHash}`;
      const error = new JournalError('LOG_MISMATCH', message);
      end(error);
      throw error;
    },
  };
}
