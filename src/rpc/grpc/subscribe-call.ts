import { createSecureContext } from 'node:tls';
import type { Client as GrpcClient, ServiceError } from '@grpc/grpc-js';
import { GRPC_MESSAGE_BYTES_MAX, GRPC_WINDOW_BYTES } from './limits.js';
import { SUBSCRIBE_PATH } from './messages.js';

type Grpc = typeof import('@grpc/grpc-js');

/** The status code of gRPC for a server that is not reached, or went away. */
export const UNAVAILABLE = 14;

/** The events of a call. Its end may come more than once. */
export interface CallListener {
  onBytes(bytes: Buffer): void;
  /** With the status code of gRPC. */
  onEnd(reason: string, code: number): void;
}

/** A call of Subscribe on a connection of its own. */
export interface SubscribeCall {
  sendRequest(request: Buffer): void;
  close(): void;
}

/** Opens a call, and loads the client of gRPC with the first one: a service without such sources never knows it. */
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
  call.on('error', ({ message, code }: ServiceError) => listener.onEnd(message, code));
  call.on('end', () => listener.onEnd('the server ended the stream', UNAVAILABLE));
  const close = (): void => {
    call.cancel();
    client.close();
  };
  return { sendRequest: (request) => void call.write(request), close };
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

/** Trusts whom the other connections of the process trust: the authorities of Node and those of NODE_EXTRA_CA_CERTS. */
function newTls(credentials: Grpc['credentials']): ReturnType<Grpc['credentials']['createSsl']> {
  return credentials.createFromSecureContext(createSecureContext());
}
