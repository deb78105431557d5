/** The slots of a node as they were: whatever it announces is believed, and the Clock account limits nothing. */
import { SlotWindow as RealSlotWindow } from '../../../src/feed/model/slot-window.js';

/** A window without a frame. */
export class SlotWindow extends RealSlotWindow {
  override admits(_slot: number, _nowMs: number): boolean {
    return true;
  }
}
