import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Ends a process with a signal and resolves when it has ended; at once for one that has, or never was. */
export async function endChild(
  child: ChildProcess | undefined,
  signal: NodeJS.Signals,
): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
