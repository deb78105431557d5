/** Frames and bodies as bytes: a tenth of the JSON, for readers that decode them on their own. */

export { BYTES_TYPE, binaryFetch, decodeBody } from './body-decoder.js';
export { FrameDecoder } from './frame-decoder.js';
