/** Streams and books as bytes: a tenth of the JSON, for readers that count what they load or receive. */

export { binarySocket } from './binary-socket.js';
export { BYTES_TYPE, binaryFetch, decodeBody } from './body-decoder.js';
export { FrameDecoder } from './frame-decoder.js';
