import { connect } from 'node:http2';
import { unzipSync } from 'node:zlib';
import { loggedFailure } from '../error.js';
import {
  type CallEnd,
  endOfFailure,
  endOfReply,
  endOfStatus,
  RESOURCE_EXHAUSTED,
} from './call-end.js';
import { GRPC_MESSAGE_BYTES_MAX, GRPC_WINDOW_BYTES } from './limits.js';
import { SUBSCRIBE_PATH } from './messages.js';

/** A message begins with a byte for compression and its length. */
const HEAD_BYTES = 5;
const HEADERS = {
  ':method': 'POST',
  ':path': SUBSCRIBE_PATH,
  'content-type': 'application/grpc',
  te: 'trailers',
  'grpc-accept-encoding': 'gzip,deflate',
};

/** The events of a call. Its end may be reported several times. */
interface CallListener {
  onBytes(bytes: Buffer): void;
  onEnd(end: CallEnd): void;
}

/** A Subscribe call on its own connection. */
export interface SubscribeCall {
  sendRequest(request: Buffer): void;
  close(): void;
}

/** Opens a call; TLS trusts Node's authorities and those of NODE_EXTRA_CA_CERTS. */
export function openCall(
  address: string,
  token: string | undefined,
  listener: CallListener,
): SubscribeCall {
  const settings = { enablePush: false, initialWindowSize: GRPC_WINDOW_BYTES };
  const session = connect(address, { settings, maxSessionMemory: Number.MAX_SAFE_INTEGER });
  session.on('connect', () => session.setLocalWindowSize(GRPC_WINDOW_BYTES));
  // The stream reports errors.
  session.on('error', () => undefined);
  const stream = session.request({ ...HEADERS, ...(token !== undefined && { 'x-token': token }) });
  const messages = new MessageSplitter(listener);
  let last: Readonly<Record<string, unknown>> = {};
  for (const event of ['response', 'trailers'])
    stream.on(event, (headers) => {
      last = headers;
    });
  stream.on('data', (chunk: Buffer) => messages.addChunk(chunk));
  stream.on('end', () => listener.onEnd(endOfReply(last, stream.aborted)));
  stream.on('error', (error) => listener.onEnd(endOfFailure(error, stream.rstCode)));
  const sendRequest = (request: Buffer): void => {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(request.length, 1);
    stream.write(Buffer.concat([head, request]));
  };
  return { sendRequest, close: () => session.destroy() };
}

/** Splits the bytes of a reply into its messages. */
class MessageSplitter {
  readonly #listener: CallListener;
  /** The received bytes of an incomplete message, and the bytes that the next step needs. */
  #parts: Buffer[] = [];
  #length = 0;
  #needed = HEAD_BYTES;

  constructor(listener: CallListener) {
    this.#listener = listener;
  }

  addChunk(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#needed) return;
    let bytes = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts, this.#length);
    for (;;) {
      this.#needed = HEAD_BYTES;
      if (bytes.length < HEAD_BYTES) break;
      this.#needed += bytes.readUInt32BE(1);
      if (this.#needed > GRPC_MESSAGE_BYTES_MAX) {
        this.#refuse(`a message of ${this.#needed} bytes is larger than the limit`);
        return;
      }
      if (bytes.length < this.#needed) break;
      this.#readMessage(bytes.subarray(0, this.#needed));
      bytes = bytes.subarray(this.#needed);
    }
    this.#parts = [bytes];
    this.#length = bytes.length;
  }

  #readMessage(message: Buffer): void {
    let bytes = message.subarray(HEAD_BYTES);
    try {
      if (message[0] !== 0) bytes = unzipSync(bytes, { maxOutputLength: GRPC_MESSAGE_BYTES_MAX });
    } catch (error) {
      this.#refuse(loggedFailure(error));
      return;
    }
    this.#listener.onBytes(bytes);
  }

  #refuse(serverText: string): void {
    this.#listener.onEnd(endOfStatus(RESOURCE_EXHAUSTED, serverText));
  }
}
