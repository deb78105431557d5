import type { Log } from '../../rpc/log.js';
import type { FromWorker } from '../model/messages.js';

/** The log of the thread; its owner writes and masks the lines. */
export function postedLog(post: (message: FromWorker) => void): Log {
  return {
    info: (fields, message) => post({ kind: 'log', level: 'info', fields, message }),
    warn: (fields, message) => post({ kind: 'log', level: 'warn', fields, message }),
  };
}
