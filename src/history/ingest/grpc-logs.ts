import type { GrpcStream } from '../../rpc/grpc/grpc-stream.js';
import type { StreamContent } from '../../rpc/grpc/messages.js';
import type { NodeSocket } from '../../rpc/node-pool.js';
import type { NotificationHandler } from '../../rpc/subscriptions.js';
import { encodeBase58 } from '../store/base58.js';

const SIGNATURE_BYTES = 64;

/** The source of transaction logs for a session. */
export type LogsConnection = Pick<NodeSocket, 'start' | 'stop' | 'resetBackoff' | 'subscribe'>;

/**
 * Adapts the transactions of a gRPC stream to the notifications of a node's socket. After an
 * interruption the stream replays missed transactions; transactions that it cannot replay are
 * listed, as after a closed socket.
 */
export function grpcLogsOf(stream: GrpcStream): LogsConnection {
  let onLogs: NotificationHandler = () => undefined;
  return {
    start: (listener) => {
      stream.start({
        ...listener,
        onInterrupted: () => undefined,
        onResumed: () => undefined,
        onContent: (content) => {
          if (!forwardLogs(content, onLogs)) listener.onMalformed();
        },
      });
    },
    stop: () => {
      onLogs = () => undefined;
      stream.stop();
    },
    resetBackoff: () => undefined,
    subscribe: async (method, _params, onResult) => {
      onLogs = onResult;
      return { method, id: 0 };
    },
  };
}

/**
 * Forwards a transaction in the format of logsSubscribe; returns false for an invalid signature.
 */
function forwardLogs(content: StreamContent, onLogs: NotificationHandler): boolean {
  if (content.kind !== 'transaction') return true;
  const { slot, signature, failed, lines } = content;
  if (signature.length !== SIGNATURE_BYTES) return false;
  const value = { signature: encodeBase58(signature), err: failed ? 'failed' : null, logs: lines };
  onLogs({ context: { slot }, value });
  return true;
}
