/** Stands in for the thread of the history: the same service in this process, as an owner of its own. */

import { HistoryError } from '../../../src/history/model/error.js';
import type {
  FromWorker,
  HistoryNode,
  ToWorker,
  WorkerSetup,
} from '../../../src/history/model/messages.js';
import { HistoryService } from '../../../src/history/worker/service.js';
import type { WorkerLink, WorkerListener } from '../../../src/history/worker-link.js';
import { createNodes, type RpcNodes } from '../../../src/rpc/node-pool.js';
import { systemTimers } from '../../../src/rpc/timers.js';
import { chance, currentMachine } from '../globals.js';
import { closeFilesOf } from './libsql.js';
import { closeSocketsOf } from './ws.js';

/** One way between the threads. */
const LINK_MS = 0.05;

let endPresent: (reason: string) => void = () => undefined;

/** The thread of the history ends with an error, wherever it is. */
export function crashWorker(): void {
  endPresent('deliberate');
}

/** Starts the history's service; messages are copied as between threads. */
export function startThread(setup: WorkerSetup, listener: WorkerListener): WorkerLink {
  const { time } = currentMachine();
  const parent = time.owner;
  const owner = time.newOwner(parent);
  const post = (message: FromWorker): void => {
    const copy = structuredClone(message);
    time.plan(LINK_MS, () => listener.onMessage(copy), parent);
  };
  let service: HistoryService | null = null;
  const endThread = (reason: string): void => {
    if (time.hasEnded(owner)) return;
    time.endOwner(owner);
    closeSocketsOf((one) => one === owner);
    closeFilesOf((one) => one === owner);
    time.plan(LINK_MS, () => listener.onEnd(new HistoryError('INTERNAL', reason)), parent);
  };
  endPresent = endThread;
  const startService = (): void => {
    service = new HistoryService({
      ...{ setup, post, timers: systemTimers },
      nodes: createNodes(setup.nodes as RpcNodes<HistoryNode>, systemTimers),
      random: chance,
    });
    service.start();
  };
  time.plan(LINK_MS, startService, owner);
  return {
    sendMessage: (message) => {
      const copy = structuredClone(message);
      time.plan(LINK_MS, () => receiveMessage(service, copy, endThread), owner);
    },
    terminate: async () => endThread('it ended with code 1'),
  };
}

function receiveMessage(
  service: HistoryService | null,
  message: ToWorker,
  endThread: (reason: string) => void,
): void {
  if (service === null) return;
  if (message.kind === 'stop') void service.stop().finally(() => endThread('it ended with code 0'));
  else service.receiveMessage(message);
}
