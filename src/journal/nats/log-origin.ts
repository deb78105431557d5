import { JournalError } from '../model/error.js';
import type { LogOrigin } from '../model/log-place.js';

/**
 * The format of a stream's description, which every NATS server stores, unlike metadata, which need
 * version 2.10. Program and chain are displayed, so they must be base58 of 32 bytes.
 */
const DESCRIPTION =
  /^slotbook: program ([1-9A-HJ-NP-Za-km-z]{32,44}), chain ([1-9A-HJ-NP-Za-km-z]{32,44})$/;

/** Describes the origin of a log's stream. */
export function describeOrigin({ programId, genesisHash }: LogOrigin): string {
  return `slotbook: program ${programId}, chain ${genesisHash}`;
}

/** Returns the origin in the description of a stream; null when there is none. */
export function parseOrigin(description = ''): LogOrigin | null {
  const [, programId, genesisHash] = DESCRIPTION.exec(description) ?? [];
  return programId === undefined || genesisHash === undefined ? null : { programId, genesisHash };
}

/** Throws `LOG_MISMATCH` for a log of another chain or program; an unnamed origin is accepted. */
export function requireOrigin(found: LogOrigin | null, ours: LogOrigin): void {
  for (const [name, what] of Object.entries({ genesisHash: 'chain', programId: 'program' })) {
    const key = name as keyof LogOrigin;
    if (found === null || found[key] === ours[key]) continue;
    const message = `the log is of the ${what} ${found[key]}, not of ${ours[key]}: another ${what} needs another --nats-stream`;
    throw new JournalError('LOG_MISMATCH', message);
  }
}
