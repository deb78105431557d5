/** HTTP load by wrk, in its own process on its own core. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { LOAD_CPU, pinned } from './cpu.mjs';

const run = promisify(execFile);

/** Requests `url` over `connections` kept-alive connections; returns the number of responses. */
export async function load(url, { seconds, connections }) {
  const wrk = pinned(LOAD_CPU, 'wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, url]);
  const { stdout } = await run(wrk.command, wrk.args);
  const count = (pattern) => Number(pattern.exec(stdout)?.[1] ?? 0);
  const failed = count(/Non-2xx or 3xx responses: (\d+)/) + (/Socket errors/.test(stdout) ? 1 : 0);
  const requests = count(/(\d+) requests in/);
  if (failed > 0 || requests === 0) throw new Error(`wrk was not answered:\n${stdout}`);
  return requests;
}
