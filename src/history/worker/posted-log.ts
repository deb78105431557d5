import type { Log } from '../../rpc/log.js';
import type { FromWorker } from '../model/messages.js';

/**
 * Returns the log of the thread, which posts its lines to the main thread; the main thread writes
 * and masks them.
 */
export function postedLog(post: (message: FromWorker) => void): Log {
  return {
    info: (fields, message) => post({ kind: 'log', level: 'info', fields, message }),
    warn: (fields, message) => post({ kind: 'log', level: 'warn', fields, message }),
  };
}
