/** Streams as bytes: a tenth of the JSON frames, for readers that count what they load or receive. */
export { binarySocket } from './binary-socket.js';
export { FrameDecoder } from './frame-decoder.js';
