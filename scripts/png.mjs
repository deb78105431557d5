/** Writes a screenshot as a small PNG: flat colours compress best without PNG filters. */
import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Eight bits of red, green and blue; no palette, no interlacing. */
const FORMAT = [8, 2, 0, 0, 0];
/** Colours are rounded to multiples of this, which is not visible. */
const COLOUR_STEP = 4;

/** Encodes a PNG; `rgba` has four bytes a pixel, row by row. */
export function encodePng({ width, height, rgba }) {
  const rows = Buffer.alloc(height * (1 + width * 3));
  let at = 0;
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    // Each row starts with its filter byte, 0 for none.
    if (pixel % width === 0) at += 1;
    for (let channel = 0; channel < 3; channel += 1) {
      const value = Math.round(rgba[pixel * 4 + channel] / COLOUR_STEP) * COLOUR_STEP;
      rows[at] = Math.min(255, value);
      at += 1;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set(FORMAT, 8);
  const body = deflateSync(rows, { level: 9, memLevel: 9 });
  return Buffer.concat([SIGNATURE, part('IHDR', head), part('IDAT', body), part('IEND')]);
}

function part(name, bytes = Buffer.alloc(0)) {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), bytes]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(bytes.length, 0);
  framed.set(named, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}
