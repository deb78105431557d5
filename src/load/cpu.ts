import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { RESPONSE_MS_MAX } from './limits.js';

/** CPU time of the service and of this process so far, seconds. */
export interface CpuTimes {
  /** Undefined when the service does not expose its metrics. */
  readonly service: number | undefined;
  readonly own: number;
  readonly ownLoop: EventLoopUtilization;
}

/** Reads the CPU time of the service from its /metrics, and of this process. */
export async function readCpuTimes(url: string): Promise<CpuTimes> {
  const service = await readServiceSeconds(url).catch(() => undefined);
  const { user, system } = process.cpuUsage();
  return { service, own: (user + system) / 1e6, ownLoop: performance.eventLoopUtilization() };
}

async function readServiceSeconds(url: string): Promise<number | undefined> {
  const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(RESPONSE_MS_MAX) });
  const text = await response.text();
  const [, seconds] = /^process_cpu_seconds_total (\S+)/m.exec(text) ?? [];
  return response.ok && seconds !== undefined ? Number(seconds) : undefined;
}
