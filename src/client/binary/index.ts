/**
 * Decoders for binary frames and bodies, a tenth of the size of JSON, for readers without the
 * client.
 */

export { BYTES_TYPE, binaryFetch, decodeBody } from './body-decoder.js';
export { FrameDecoder } from './frame-decoder.js';
