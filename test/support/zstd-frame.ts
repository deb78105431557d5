/** RFC 8878, 3.1.1: a frame begins with this number, little endian. */
const MAGIC = Buffer.from('28b52ffd', 'hex');
/** Single segment, four bytes of content size, no checksum, no dictionary. */
const DESCRIPTOR = 0xa0;
const RAW = 0;
const RLE = 1;
/** A run of equal bytes that is shorter costs more as a block of its own. */
const RUN_BYTES_MIN = 16;
/** Block_Maximum_Size. */
const BLOCK_BYTES_MAX = 128 * 1024;

interface Block {
  readonly kind: typeof RAW | typeof RLE;
  readonly from: number;
  readonly to: number;
}

/**
 * Writes bytes as a zstd frame of raw and run-length blocks. A node compresses better, but to a
 * decoder it is the same format, and the accounts of the program are mostly runs of zeros.
 */
export function zstdFrame(data: Uint8Array): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(data.length);
  const blocks = blocksOf(data);
  const written = blocks.map((block, index) => {
    return writeBlock(data, block, index === blocks.length - 1 ? 1 : 0);
  });
  return Buffer.concat([MAGIC, Buffer.of(DESCRIPTOR), size, ...written]);
}

function writeBlock(data: Uint8Array, { kind, from, to }: Block, last: 0 | 1): Buffer {
  const head = Buffer.alloc(3);
  head.writeUIntLE(last | (kind << 1) | ((to - from) << 3), 0, 3);
  return Buffer.concat([head, data.subarray(from, kind === RLE ? from + 1 : to)]);
}

function blocksOf(data: Uint8Array): readonly Block[] {
  const blocks: Block[] = [];
  let rawFrom = 0;
  for (let from = 0; from < data.length; ) {
    const to = runEnd(data, from);
    if (to - from >= RUN_BYTES_MIN) {
      if (rawFrom < from) blocks.push({ kind: RAW, from: rawFrom, to: from });
      blocks.push({ kind: RLE, from, to });
      rawFrom = to;
    } else if (to - rawFrom >= BLOCK_BYTES_MAX - RUN_BYTES_MIN) {
      blocks.push({ kind: RAW, from: rawFrom, to });
      rawFrom = to;
    }
    from = to;
  }
  if (rawFrom < data.length || blocks.length === 0) {
    blocks.push({ kind: RAW, from: rawFrom, to: data.length });
  }
  return blocks;
}

function runEnd(data: Uint8Array, from: number): number {
  let to = from + 1;
  while (to < data.length && data[to] === data[from] && to - from < BLOCK_BYTES_MAX) to += 1;
  return to;
}
