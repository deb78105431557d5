import type { CoreConfig } from '../config/config.js';
import type { LogSetup } from '../journal/model/log-place.js';
import type { Lease } from '../journal/nats/lease.js';
import type { QuoteLink } from '../journal/nats/quote-link.js';
import type { Runtime } from './runtime.js';

/** What the book of a core is made of. */
export interface CoreParts {
  readonly config: CoreConfig;
  readonly runtime: Runtime;
  readonly lease: Lease;
  /** By which edges forward quotes. */
  readonly link: QuoteLink;
  /** The name of this run: the epoch where it begins one. */
  readonly run: string;
  /** The chain that it follows: that of its log. */
  readonly genesisHash: string;
}

/** With what the journal of a core is started. */
export function logSetupOf({
  config,
  genesisHash,
}: Pick<CoreParts, 'config' | 'genesisHash'>): LogSetup {
  const { place, leaseMs: _, ...limits } = config.log;
  return { programId: config.programId, genesisHash, log: place, ...limits };
}

/** Rejects when the journal has ended; nobody need wait for it. */
export function newEnding(): { ended: Promise<never>; end: (error: Error) => void } {
  let end: (error: Error) => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    end = reject;
  });
  ended.catch(() => undefined);
  return { ended, end };
}
