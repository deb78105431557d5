/** CRC-32 as zlib has it: polynomial 0xedb88320, reflected. */

let table: Int32Array | undefined;

/** The checksum of a text of ASCII characters, from 0 to 2^32 - 1. */
export function crc32(text: string): number {
  table ??= Int32Array.from({ length: 256 }, remainderOf);
  let crc = -1;
  for (let at = 0; at < text.length; at += 1) {
    crc = (crc >>> 8) ^ (table[(crc ^ text.charCodeAt(at)) & 0xff] as number);
  }
  return ~crc >>> 0;
}

function remainderOf(_: unknown, byte: number): number {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = (rest >>> 1) ^ (rest & 1 && 0xedb8_8320);
  return rest;
}
