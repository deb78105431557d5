/** The composition root of the thread that replays past topics. Its input is a `ReplaySetup`. */
import { parentPort, workerData } from 'node:worker_threads';
import { systemTimers } from '../../rpc/timers.js';
import { JournalError } from '../model/error.js';
import type { FromReplays, ReplaySetup, ToReplays } from '../model/messages.js';
import { ReplayHost } from './replay-host.js';

const port = parentPort;
if (port === null) throw new JournalError('JOURNAL_FAILED', 'the worker was started as a program');

const host = new ReplayHost({
  files: workerData as ReplaySetup,
  timers: systemTimers,
  // The bytes are transferred.
  post: (message: FromReplays) =>
    port.postMessage(
      message,
      message.kind === 'items' ? [message.items.bytes.buffer as ArrayBuffer] : [],
    ),
});

// An error here is a bug: it ends the thread, and the main thread reports it.
port.on('message', (message: ToReplays) => host.receiveMessage(message));
