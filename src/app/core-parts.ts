import type { CoreConfig } from '../config/config.js';
import type { LogSetup } from '../journal/model/log-place.js';
import type { Lease } from '../journal/nats/lease.js';
import type { QuoteLink } from '../journal/nats/quote-link.js';
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
  return { programId: config.programId, genesisHash, log: place, ...limits };
}

/** Returns a promise that `end` rejects when the journal has ended; nobody has to await it. */
export function newEnding(): { ended: Promise<never>; end: (error: Error) => void } {
  let end: (error: Error) => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    end = reject;
  });
  ended.catch(() => undefined);
  return { ended, end };
}
