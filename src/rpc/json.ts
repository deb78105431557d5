import { JSON_CHECKED_BYTES_MIN, JSON_CONTAINERS_MAX } from './limits.js';

const OBJECT_OPENS = 0x7b;
const LIST_OPENS = 0x5b;

/**
 * Parses JSON. Returns undefined when it is invalid, or has more lists and objects than a node
 * would send: an empty one takes three bytes as text, and a hundred in memory.
 */
export function parseJson(bytes: Uint8Array): unknown {
  if (hasTooManyContainers(bytes)) return undefined;
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  } catch {
    return undefined;
  }
}

/** Counts opening brackets, including those within texts, which are few. */
function hasTooManyContainers(bytes: Uint8Array): boolean {
  if (bytes.byteLength < JSON_CHECKED_BYTES_MIN) return false;
  let count = 0;
  for (let at = 0; at < bytes.byteLength; at += 1) {
    const byte = bytes[at];
    if (byte === OBJECT_OPENS || byte === LIST_OPENS) count += 1;
  }
  return count > JSON_CONTAINERS_MAX;
}
