import type { Timers } from '../../contract/timers.js';
import { MomentReader } from '../as-of/moment-reader.js';
import type { FromPast, PastSetup, ToPast } from '../model/messages.js';
import { ReplayHost } from './replay-host.js';

/** The dependencies of a thread that reads past books. */
interface PastOptions {
  readonly setup: PastSetup;
  readonly timers: Timers;
  readonly post: (message: FromPast) => void;
}

/** Renders books of past moments, and plays past topics. Returns the receiver of messages. */
export function readPast({ setup, timers, post }: PastOptions): (message: ToPast) => void {
  const reader = new MomentReader(setup, timers);
  const host = new ReplayHost({ files: setup, timers, post });
  const unwanted = new Int32Array(setup.unwanted);
  return (message) => {
    if (message.kind !== 'moment') {
      host.receiveMessage(message);
      return;
    }
    const { id, kind } = message;
    const reply = reader.readMoment(message, () => Atomics.load(unwanted, 0) === id) ?? null;
    post({ id, kind, reply, books: reader.takeBookCounts() });
  };
}
