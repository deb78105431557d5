/**
 * The number of a stream: the CRC-32 of the bytes of its identity, as zlib has it. It is not that of followed books: a page
 * would load what both have in common as a third file.
 */
export function streamNumber(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 && 0xedb8_8320);
  }
  return ~crc >>> 0;
}
