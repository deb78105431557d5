import { connect } from 'node:http2';
import { unzipSync } from 'node:zlib';
import { loggedFailure } from '../error.js';
import {
  type CallEnd,
  endOfFailure,
  endOfReply,
  endOfStatus,
  RESOURCE_EXHAUSTED,
  UNAVAILABLE,
} from './call-end.js';
import { GRPC_MESSAGE_BYTES_MAX, GRPC_WINDOW_BYTES } from './limits.js';
import { SUBSCRIBE_PATH } from './messages.js';

/** A message begins with a byte for compression and its length. */
const HEAD_BYTES = 5;

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
  // Reported by the stream.
  session.on('error', () => undefined);
  const stream = session.request({
    ':method': 'POST',
    ':path': SUBSCRIBE_PATH,
    'content-type': 'application/grpc',
    te: 'trailers',
    'grpc-accept-encoding': 'gzip,deflate',
    ...(token === undefined ? {} : { 'x-token': token }),
  });
  let last: Readonly<Record<string, unknown>> = {};
  const messages = new MessageSplitter(listener);
  const keepLast = (headers: Readonly<Record<string, unknown>>): void => {
    last = headers;
  };
  stream.on('response', keepLast);
  stream.on('trailers', keepLast);
  stream.on('data', (chunk: Buffer) => messages.addChunk(chunk));
  stream.on('end', () => {
    const isCut = stream.aborted && last['grpc-status'] === undefined;
    listener.onEnd(isCut ? endOfStatus(UNAVAILABLE, 'the connection ended') : endOfReply(last));
  });
  stream.on('error', (error) => listener.onEnd(endOfFailure(error, stream.rstCode ?? 0)));
  return {
    sendRequest: (request) => void stream.write(withHead(request)),
    close: () => session.destroy(),
  };
}

function withHead(request: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(request.length, 1);
  return Buffer.concat([head, request]);
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
    const bytes = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts, this.#length);
    let at = 0;
    this.#needed = HEAD_BYTES;
    while (bytes.length - at >= this.#needed) {
      const length = bytes.readUInt32BE(at + 1);
      if (length > GRPC_MESSAGE_BYTES_MAX) {
        this.#refuse(`a message of ${length} bytes is larger than the limit`);
        return;
      }
      const end = at + HEAD_BYTES + length;
      if (end > bytes.length) this.#needed = HEAD_BYTES + length;
      else {
        this.#readMessage(bytes[at] !== 0, bytes.subarray(at + HEAD_BYTES, end));
        at = end;
      }
    }
    const rest = bytes.subarray(at);
    this.#parts = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
  }

  #readMessage(isPacked: boolean, bytes: Buffer): void {
    let plain = bytes;
    try {
      if (isPacked) plain = unzipSync(bytes, { maxOutputLength: GRPC_MESSAGE_BYTES_MAX });
    } catch (error) {
      this.#refuse(loggedFailure(error));
      return;
    }
    this.#listener.onBytes(plain);
  }

  #refuse(serverText: string): void {
    this.#listener.onEnd(endOfStatus(RESOURCE_EXHAUSTED, serverText));
  }
}
