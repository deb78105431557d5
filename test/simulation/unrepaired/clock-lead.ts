/** The slots of a connection beside its Clock as they were: nothing compares them. */
import { ClockLead as RealClockLead } from '../../../src/feed/model/clock-lead.js';

/** A lead that is never too long. */
export class ClockLead extends RealClockLead {
  override get isTooLong(): boolean {
    return false;
  }
}
