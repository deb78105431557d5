import type { CoreConfig } from '../config/config.js';
import { JournalError } from '../journal/model/error.js';
import { loggedFailure } from '../rpc/error.js';
import { readGenesisHash } from '../rpc/methods.js';
import { createNodes } from '../rpc/node-pool.js';
import { sleep } from '../rpc/timers.js';
import type { Runtime } from './runtime.js';

/** Delay between two rounds of asking all nodes for their chain. */
const CHAIN_RETRY_MS = 1_000;

/** The one chain of a book. */
export interface LiveChain {
  /** Its name, base58. */
  readonly genesisHash: string;
  /** Called when all nodes are on another chain, which is given; must throw. */
  readonly onLeft: (genesisHash: string) => never;
}

/**
 * Returns the chain of the first node that names one, because a log has exactly one chain. Retries
 * until a node does.
 */
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

/**
 * Returns the fixed chain of a core; `end` is called when its nodes switch, because a log cannot
 * contain another chain.
 */
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
