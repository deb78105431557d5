import { JournalError } from '../model/error.js';
import type { LogOrigin } from '../model/log-place.js';

/**
 * The words of a stream's description, which every server of NATS keeps; its metadata came with 2.10. What they name is shown,
 * so that it must be base58 of 32 bytes.
 */
const DESCRIPTION =
  /^slotbook: program ([1-9A-HJ-NP-Za-km-z]{32,44}), chain ([1-9A-HJ-NP-Za-km-z]{32,44})$/;

/** Says in the description of a log's stream of what it is. */
export function describeOrigin({ programId, genesisHash }: LogOrigin): string {
  return `slotbook: program ${programId}, chain ${genesisHash}`;
}

/** Of what a log is, by the description of its stream; null where that does not say. */
export function parseOrigin(description = ''): LogOrigin | null {
  const [, programId, genesisHash] = DESCRIPTION.exec(description) ?? [];
  return programId === undefined || genesisHash === undefined ? null : { programId, genesisHash };
}

/** Throws `LOG_MISMATCH` where a log is of another chain or program; one that does not say of which is taken. */
export function requireOrigin(found: LogOrigin | null, ours: LogOrigin): void {
  for (const [name, what] of Object.entries({ genesisHash: 'chain', programId: 'program' })) {
    const key = name as keyof LogOrigin;
    if (found === null || found[key] === ours[key]) continue;
    const message = `the log is of the ${what} ${found[key]}, not of ${ours[key]}: another ${what} needs another --nats-stream`;
    throw new JournalError('LOG_MISMATCH', message);
  }
}
