import { Codec as NativeCodec } from '#addon';
import { EngineError } from './errors.js';

/** What is compressed at once: a batch of the feed fits with room to spare. */
const COMPRESS_BYTES_MAX = 64 << 20;

let cachedCodec: NativeCodec | undefined;

/** Made by the first call and reused: its working memory is about a megabyte. */
function nativeCodec(): NativeCodec {
  cachedCodec ??= new NativeCodec();
  return cachedCodec;
}

/** One zstd frame of `bytes`, which carries their length and no checksum. */
export function compress(bytes: Uint8Array): Uint8Array {
  if (bytes.length > COMPRESS_BYTES_MAX) {
    const message = `bytes to compress were ${bytes.length}, must be at most ${COMPRESS_BYTES_MAX}`;
    throw new EngineError('RECORD_BYTES_EXCEEDED', message, { bytes: bytes.length });
  }
  const out = Buffer.allocUnsafeSlow(nativeCodec().compressedBytesMax(bytes.length));
  const length = nativeCodec().compress(bytes, out);
  if (length < 0) throw new Error('Invariant: a frame fits into its bound');
  // A copy, so that a small frame does not keep the memory of the largest one.
  return Buffer.from(out.subarray(0, length));
}

/**
 * The content of zstd frames. Throws an {@link EngineError}: INVALID_ZSTD when they are broken or do not
 * say how much they hold, DECODED_BYTES_EXCEEDED, before anything is unpacked, when it is more than
 * `bytesMax`.
 */
export function decompress(bytes: Uint8Array, bytesMax: number): Uint8Array {
  // No bytes are no frame, though zstd decodes them to nothing.
  const length = bytes.length === 0 ? -1 : nativeCodec().decodedBytes(bytes);
  if (length > bytesMax) {
    const message = `frame holds ${length} bytes, must be at most ${bytesMax}`;
    throw new EngineError('DECODED_BYTES_EXCEEDED', message, { bytes: length });
  }
  const out = Buffer.allocUnsafeSlow(Math.max(0, length));
  if (length < 0 || nativeCodec().decompress(bytes, out) !== length) {
    const message = `${bytes.length} bytes were not a whole zstd frame that states its length`;
    throw new EngineError('INVALID_ZSTD', message, { bytes: bytes.length });
  }
  return out;
}
