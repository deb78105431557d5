/** CRC-32 as zlib has it: polynomial 0xedb88320, reflected. */

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb8_8320 : 0);
  return rest >>> 0;
});

/** The checksum of a text of ASCII characters, from 0 to 2^32 - 1. */
export function crc32(text: string): number {
  let crc = 0xffff_ffff;
  for (let at = 0; at < text.length; at += 1) {
    crc = (crc >>> 8) ^ (table[(crc ^ text.charCodeAt(at)) & 0xff] ?? 0);
  }
  return (crc ^ 0xffff_ffff) >>> 0;
}
