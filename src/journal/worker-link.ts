import { compiledFile, startFile, type ThreadLink, type ThreadListener } from '../rpc/threads.js';
import { threadFailed } from './model/error.js';
import type { ThreadKind } from './model/messages.js';

/** Starts a compiled thread of the journal. */
export function startThread<Kind extends keyof ThreadKind>(
  kind: Kind,
  setup: ThreadKind[Kind]['setup'],
  listener: ThreadListener<ThreadKind[Kind]['from']>,
): ThreadLink<ThreadKind[Kind]['to']> {
  const file = compiledFile(`journal/${kind}/thread.js`, threadFailed);
  return startFile(file, setup, listener, threadFailed);
}
