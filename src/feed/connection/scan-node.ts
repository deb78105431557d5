import type { Timers } from '../../contract/timers.js';
import { Backoff } from '../../rpc/backoff.js';
import { readGenesisHash } from '../../rpc/methods.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { FeedError, failureText } from '../model/error.js';
import type { TransientErrorLog } from '../model/error-logs.js';
import { SCAN_NODE_REST_CAP_MS, SCAN_NODE_REST_FIRST_MS } from '../model/limits.js';

/** Options of the scan node. */
interface ScanNodeOptions {
  /** Null for none. */
  readonly rpc: NodeRpc | null;
  readonly timers: Timers;
  readonly random: () => number;
  readonly transientErrors: TransientErrorLog;
}

/**
 * A separate node for the scan of all users, which some providers meter or forbid. After a scan on
 * it fails, including retries, the node in use scans instead, and this node rests with growing
 * delays, so that a rebuild does not wait for it repeatedly.
 */
export class ScanNode {
  readonly #options: ScanNodeOptions;
  readonly #rest: Backoff;
  #restsUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: ScanNodeOptions) {
    this.#options = options;
    const { random } = options;
    const firstMs = SCAN_NODE_REST_FIRST_MS;
    this.#rest = new Backoff({ firstMs, capMs: SCAN_NODE_REST_CAP_MS, random });
  }

  /** The client of the node to scan; null means the node in use. */
  get rpc(): NodeRpc | null {
    const { rpc, timers } = this.#options;
    return timers.nowMs() < this.#restsUntilMs ? null : rpc;
  }

  recordSuccess(): void {
    this.#rest.reset();
  }

  /** Records a failed scan; the node in use then scans instead. */
  recordFailure(error: unknown): void {
    const { timers, transientErrors } = this.#options;
    const restMs = this.#rest.next();
    this.#restsUntilMs = timers.nowMs() + restMs;
    const fields = { err: error, restMs: Math.round(restMs) };
    transientErrors.logWarning(
      'the snapshot node failed, the node in use is scanned',
      failureText(error),
      fields,
    );
  }

  /** Rejects unless the node is on this chain, because users of different chains would be mixed. */
  async requireChain(rpc: NodeRpc, genesis: string | null, signal: AbortSignal): Promise<void> {
    const hash = await readGenesisHash(rpc, { signal });
    if (genesis === null || hash === genesis) return;
    const message = `genesis hash of the node to scan was ${hash}, must be ${genesis}`;
    throw new FeedError('GENESIS_MISMATCH', message);
  }
}
