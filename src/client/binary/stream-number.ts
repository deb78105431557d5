/**
 * Returns the number of a stream: zlib's CRC-32 of its identity. The implementation is not shared
 * with followed books, because a shared module would be a third file for a page to load.
 */
export function streamNumber(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 && 0xedb8_8320);
  }
  return ~crc >>> 0;
}
