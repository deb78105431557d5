/** The pace of a node as it was: nothing compares it with that of another one. */
import { PaceCheck as RealPaceCheck } from '../../../src/feed/connection/pace-check.js';

/** A check that finds nothing. */
export class PaceCheck extends RealPaceCheck {
  override async findTrueSlot(): Promise<number | null> {
    return null;
  }
}
