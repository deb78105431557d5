/** How the process gives memory back: the addon is where its allocator can be reached. */
import { returnFreedBuffers } from '@slotbook/core';

/**
 * From now on the memory of buffers of 128 KiB and more goes back to the system when they are freed. Returns
 * false where the allocator has no such setting, which then decides for itself.
 */
export function giveBackLargeBuffers(): boolean {
  return returnFreedBuffers();
}
