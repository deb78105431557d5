import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * Ends a process with a signal and resolves when it has ended; immediately for a process that has
 * ended or never started.
 */
export async function endChild(
  child: ChildProcess | undefined,
  signal: NodeJS.Signals,
): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** Whether a process is there, or one of a group where the number is below 0. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
