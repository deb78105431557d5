/**
 * Encodes the events that the program logs: an eight-byte discriminator, then borsh.
 *
 * Source: programs/drift/src/state/events.rs.
 */
import type { ProgramName } from '../../contract/program.js';
import { eventBytes, type Fields } from './account-bytes.js';
import { EVENTS } from './generated/events.js';

const FILL_ACTION = 2;

/** The fields of the record of a fill. Base and quote amounts are those on chain. */
export type FillRecord = Fields<(typeof EVENTS.drift.ORDER_ACTION_RECORD)['fields']>;

/** The fields of the record of a funding rate. */
type FundingRecord = Fields<(typeof EVENTS.drift.FUNDING_RATE_RECORD)['fields']>;

/** The OrderActionRecord of a fill, with all current fields of the program. */
export function fillRecordBytes(fill: FillRecord): Buffer {
  return eventBytes(EVENTS.drift.ORDER_ACTION_RECORD, { action: FILL_ACTION, ...fill });
}

/** The FundingRateRecord of a program. */
export function fundingRecordBytes(funding: FundingRecord, program: ProgramName): Buffer {
  return eventBytes(EVENTS[program].FUNDING_RATE_RECORD, funding);
}
