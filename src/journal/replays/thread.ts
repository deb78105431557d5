/** The composition root of a replay thread. Its start parameter is a `PastSetup`. */
import { parentPort, workerData } from 'node:worker_threads';
import { systemTimers } from '../../rpc/timers.js';
import { JournalError } from '../model/error.js';
import type { FromPast, PastSetup } from '../model/messages.js';
import { readPast } from './past.js';

const port = parentPort;
if (port === null) throw new JournalError('JOURNAL_FAILED', 'the worker was started as a program');

/** Bytes that change hands. */
function bytesOf(message: FromPast): Uint8Array | undefined {
  if (message.kind === 'items') return message.items.bytes;
  return message.kind === 'moment' && message.reply?.kind === 'body'
    ? message.reply.body
    : undefined;
}

const receive = readPast({
  setup: workerData as PastSetup,
  timers: systemTimers,
  post: (message) => {
    const bytes = bytesOf(message);
    port.postMessage(message, bytes === undefined ? [] : [bytes.buffer as ArrayBuffer]);
  },
});

// An error here is a bug: it ends the thread, and the main thread reports it.
port.on('message', receive);
