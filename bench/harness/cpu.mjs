/** CPU time of another process, and where processes run. */
import { readFileSync } from 'node:fs';

/** Linux reports times in /proc in hundredths of a second, on every architecture. */
const TICK_NS = 10_000_000;

/** Server and load each have a core of their own, so that neither takes the other's time. */
export const SERVER_CPU = '0';
export const LOAD_CPU = '1';

/** User and system time of a process with all its threads, in nanoseconds. */
export function cpuNsOf(pid) {
  const { userNs, kernelNs } = cpuSplitOf(pid);
  return userNs + kernelNs;
}

/** The CPU time of the process, and of the kernel for the process. */
export function cpuSplitOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name in brackets may contain spaces; the fields after it do not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { userNs: Number(fields[11]) * TICK_NS, kernelNs: Number(fields[12]) * TICK_NS };
}

/** A command line that runs on one core. */
export function pinned(cpu, command, args) {
  return { command: 'taskset', args: ['-c', cpu, command, ...args] };
}
