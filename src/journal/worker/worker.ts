/**
 * The composition root of the thread of the journal. What it is started with is a `JournalSetup`, and all it says
 * goes through its port.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { systemTimers } from '../../rpc/timers.js';
import { JournalError } from '../model/error.js';
import type { FromJournal, JournalSetup, ToJournal } from '../model/messages.js';
import { JournalService } from './service.js';

const port = parentPort;
if (port === null) throw new JournalError('JOURNAL_FAILED', 'the worker was started as a program');

const service = new JournalService({
  setup: workerData as JournalSetup,
  timers: systemTimers,
  wallMs: Date.now,
  post: (message: FromJournal) => port.postMessage(message),
});
// A failure here is a bug: it ends the thread, and the main thread says why.
const fail = (error: unknown): void => {
  queueMicrotask(() => {
    throw error;
  });
};
port.on('message', (message: ToJournal) => {
  if (message.kind !== 'stop') {
    service.receiveMessage(message).catch(fail);
    return;
  }
  service.stop().then(() => process.exit(0), fail);
});
service.start();
