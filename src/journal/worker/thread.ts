/**
 * The composition root of the journal's thread. Its start parameter is a `JournalSetup` or a
 * `LogSetup`; all its output goes through its port.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { systemTimers } from '../../rpc/timers.js';
import { JournalError } from '../model/error.js';
import type { LogSetup } from '../model/log-place.js';
import type { FromJournal, JournalSetup, ToJournal } from '../model/messages.js';
import type { PieceSink, PieceSinkParts } from '../model/piece-sink.js';
import { DiskWriter } from './disk-writer.js';
import { JournalService } from './service.js';

const port = parentPort;
if (port === null) throw new JournalError('JOURNAL_FAILED', 'the worker was started as a program');

/** The NATS packages are loaded on demand. */
async function sinkOf(
  setup: JournalSetup | LogSetup,
): Promise<(parts: PieceSinkParts) => PieceSink> {
  if ('folder' in setup) return (parts) => new DiskWriter({ ...parts, setup });
  const { LogWriter } = await import('../nats/log-writer.js');
  return (parts) => new LogWriter(setup, parts);
}

const setup = workerData as JournalSetup | LogSetup;
const service = new JournalService({
  setup,
  createSink: await sinkOf(setup),
  timers: systemTimers,
  post: (message: FromJournal) => port.postMessage(message),
});
// A failure here is a bug: it ends the thread, and the main thread reports it.
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
service.start().catch(fail);
