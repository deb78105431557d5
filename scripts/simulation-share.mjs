/** Runs simulations in child processes, and handles processes that crash. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A process without a report for this long hangs, even on the slowest machine. */
const SILENT_MS_MAX = 300_000;

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

/** Runs Node with these arguments; rejects when it fails, or prints no line for too long. */
export function runChild(given, takeLine) {
  const child = spawn(process.execPath, given, {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stopHanging = () => child.kill('SIGKILL');
  let hanging = setTimeout(stopHanging, SILENT_MS_MAX);
  createInterface({ input: child.stdout }).on('line', (line) => {
    clearTimeout(hanging);
    hanging = setTimeout(stopHanging, SILENT_MS_MAX);
    takeLine(line);
  });
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) => {
      clearTimeout(hanging);
      if (code === 0) resolve();
      else reject(new Error(`the process ended with ${signal ?? `code ${code}`}`));
    });
  });
}
