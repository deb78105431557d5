/** Returns memory to the system. The addon can configure the process's allocator. */
import { returnFreedBuffers } from '@slotbook/core/native';

/**
 * Makes the allocator return buffers of 128 KiB and more to the system as soon as they are freed.
 * Returns false when the allocator has no such setting.
 */
export function giveBackLargeBuffers(): boolean {
  return returnFreedBuffers();
}
