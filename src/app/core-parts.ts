import path from 'node:path';
import type { CoreConfig } from '../config/config.js';
import { Deferred } from '../contract/deferred.js';
import type { LogSetup } from '../journal/model/log-place.js';
import { LeafStreams } from '../journal/nats/leaf-streams.js';
import type { Lease } from '../journal/nats/lease.js';
import type { QuoteLink } from '../journal/nats/quote-link.js';
import type { ProofLog } from '../proof/proof-log.js';
import { openProofs, PROOF_FOLDER } from './proven-feed.js';
import type { Runtime } from './runtime.js';

/** The parts of a core's book. */
export interface CoreParts {
  readonly config: CoreConfig;
  readonly runtime: Runtime;
  readonly lease: Lease;
  /** Edges forward quotes over it. */
  readonly link: QuoteLink;
  /** The name of this run; it is the epoch of the book if this run starts the epoch. */
  readonly run: string;
  /** The chain of the log. */
  readonly genesisHash: string;
}

/** The options of a core's journal. */
export function logSetupOf({
  config,
  genesisHash,
}: Pick<CoreParts, 'config' | 'genesisHash'>): LogSetup {
  const { place, leaseMs: _, ...limits } = config.log;
  const keepsDigests = config.proof !== undefined;
  return { programId: config.programId, genesisHash, log: place, ...limits, keepsDigests };
}

/** Returns the signed log of a cluster, which this core continues once it writes. */
export function proofsOf({ config, runtime, run, genesisHash }: CoreParts): ProofLog | undefined {
  const { log, proof } = config;
  if (proof === undefined) return undefined;
  const writer = { run, setup: logSetupOf({ config, genesisHash }) };
  const shared = new LeafStreams({ place: log.place, ...runtime, writer });
  const folder = path.join(proof.dataDir, PROOF_FOLDER);
  return openProofs(proof.keyFile, folder, { ...runtime, shared });
}

/** Returns a promise that `end` rejects when the journal has ended; nobody has to await it. */
export function newEnding() {
  const { promise: ended, reject: end } = new Deferred<never>();
  ended.catch(() => undefined);
  return { ended, end };
}
