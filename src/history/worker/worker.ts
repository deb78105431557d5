/**
 * The second composition root: builds the history on its thread. Its start parameter is a
 * `WorkerSetup`; all its output goes through the port.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { createNodes, type RpcNode } from '../../rpc/node-pool.js';
import { systemTimers } from '../../rpc/timers.js';
import { createLogsSocket } from '../ingest/logs-socket.js';
import type { LogNode } from '../ingest/session.js';
import { HistoryError } from '../model/error.js';
import type { FromWorker, ToWorker, WorkerSetup } from '../model/messages.js';
import { postedLog } from './posted-log.js';
import { HistoryService } from './service.js';

const port = parentPort;
if (port === null) throw new HistoryError('INTERNAL', 'the worker was started as a program');

const setup = workerData as WorkerSetup;
const post = (message: FromWorker): void => {
  if (message.kind === 'reply') port.postMessage(message, buffersOf(message.reply.body));
  else port.postMessage(message);
};
const [first, ...others] = setup.nodes;
const service = new HistoryService({
  setup,
  nodes: first === undefined ? [] : createNodes([first, ...others], systemTimers).map(withStreams),
  timers: systemTimers,
  random: Math.random,
  post,
});
port.on('message', (message: ToWorker) => {
  if (message.kind !== 'stop') {
    service.receiveMessage(message);
    return;
  }
  void service.stop().finally(() => process.exit(0));
});
service.start();

/** Returns the node, with gRPC streams as preferred log sources if there are any. */
function withStreams(node: RpcNode): LogNode {
  const { grpc: servers = [], programId } = setup;
  return {
    ...node,
    socket: createLogsSocket(node.socket, {
      servers,
      programId,
      timers: systemTimers,
      log: postedLog(post),
    }),
  };
}

/**
 * Returns the buffers to transfer, because copying a body costs more than rendering it; a view of a
 * shared pool must be copied.
 */
function buffersOf(body: Uint8Array): ArrayBuffer[] {
  const { buffer, byteLength } = body;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
