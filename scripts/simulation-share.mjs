/** Runs simulations in child processes, and handles processes that crash. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** Maximum CPU time without a report, and maximum time without any CPU time, in seconds: beyond, a process hangs. */
const SILENT_SECONDS_MAX = 300;

/**
 * Runs the seeds `from` to `to`. When a process crashes, its current seed counts as a violation,
 * and another process continues with the next seed.
 */
export async function runShare({ program, from, to }, takeReport) {
  let next = from;
  const takeLine = (line) => {
    if (!line.startsWith('{')) return;
    const report = JSON.parse(line);
    next = report.seed + 1;
    takeReport(report);
  };
  while (next <= to) {
    let death = 'the process ended without a report';
    try {
      await runChild([...program, String(next), String(to)], takeLine);
    } catch (error) {
      death = error.message;
    }
    if (next > to) return;
    takeReport({ seed: next, violations: [death], hash: 'none', faults: {}, cpuMs: 0 });
    next += 1;
  }
}

/** The CPU time of a process in seconds; infinite where the system has no such file. */
function cpuSecondsOf(pid) {
  try {
    const [, fields] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ');
    const [user, system] = fields.split(' ').slice(11, 13);
    return (Number(user) + Number(system)) / 100;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Runs Node with these arguments; rejects when it fails, or hangs without a line. */
export function runChild(given, takeLine) {
  const child = spawn(process.execPath, given, {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let [atLine, atCheck] = [0, 0];
  const hanging = setInterval(() => {
    const used = cpuSecondsOf(child.pid);
    if (used === atCheck || used - atLine > SILENT_SECONDS_MAX) child.kill('SIGKILL');
    atCheck = used;
  }, SILENT_SECONDS_MAX * 1_000);
  createInterface({ input: child.stdout }).on('line', (line) => {
    atLine = cpuSecondsOf(child.pid);
    hanging.refresh();
    takeLine(line);
  });
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) => {
      clearInterval(hanging);
      if (code === 0) resolve();
      else reject(new Error(`the process ended with ${signal ?? `code ${code}`}`));
    });
  });
}
