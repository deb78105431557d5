import { createSecureContext } from 'node:tls';
import type { Client as GrpcClient, ServiceError } from '@grpc/grpc-js';
import { loggedFailure, shownFailure } from '../error.js';
import { GRPC_MESSAGE_BYTES_MAX, GRPC_WINDOW_BYTES } from './limits.js';
import { SUBSCRIBE_PATH } from './messages.js';

type Grpc = typeof import('@grpc/grpc-js');

/** The gRPC status of an unreachable server. */
export const UNAVAILABLE = 14;

/** The names of the gRPC status codes, indexed by code. */
const STATUS_NAMES: readonly string[] = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];

/** The end of a call. */
export interface CallEnd {
  /** In this program's words. */
  readonly reason: string;
  /** The status code of gRPC. */
  readonly code: number;
  /** The message of the server or of the gRPC client, which is only logged. */
  readonly serverText?: string;
}

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

/**
 * Opens a call. The first call loads the gRPC client, so services without gRPC sources never load
 * it.
 */
export async function openCall(
  address: string,
  token: string | undefined,
  listener: CallListener,
): Promise<SubscribeCall> {
  const grpc = await import('@grpc/grpc-js');
  const client = newClient(grpc, new URL(address));
  const metadata = new grpc.Metadata();
  if (token !== undefined) metadata.set('x-token', token);
  const keep = (bytes: Buffer): Buffer => bytes;
  const call = client.makeBidiStreamRequest<Buffer, Buffer>(SUBSCRIBE_PATH, keep, keep, metadata);
  call.on('data', (bytes: Buffer) => listener.onBytes(bytes));
  call.on('error', ({ message: serverText, code }: ServiceError) => {
    const status = STATUS_NAMES[code] ?? `status ${code}`;
    listener.onEnd({ reason: `the stream failed: ${status}`, code, serverText });
  });
  call.on('end', () => {
    listener.onEnd({ reason: 'the server ended the stream', code: UNAVAILABLE });
  });
  const close = (): void => {
    call.cancel();
    client.close();
  };
  return { sendRequest: (request) => void call.write(request), close };
}

/** Returns the end of a call that could not be started. */
export function endOfFailure(error: unknown): CallEnd {
  const serverText = loggedFailure(error);
  return { reason: shownFailure(error), code: UNAVAILABLE, serverText };
}

function newClient({ Client, credentials }: Grpc, { protocol, hostname, port }: URL): GrpcClient {
  const isSecure = protocol === 'https:';
  const target = `${hostname}:${port === '' ? (isSecure ? 443 : 80) : port}`;
  return new Client(target, isSecure ? newTls(credentials) : credentials.createInsecure(), {
    'grpc.max_receive_message_length': GRPC_MESSAGE_BYTES_MAX,
    'grpc-node.flow_control_window': GRPC_WINDOW_BYTES,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_retries': 0,
  });
}

/**
 * Returns credentials that trust the same authorities as other connections of the process: Node's
 * and those of NODE_EXTRA_CA_CERTS.
 */
function newTls(credentials: Grpc['credentials']): ReturnType<Grpc['credentials']['createSsl']> {
  return credentials.createFromSecureContext(createSecureContext());
}
