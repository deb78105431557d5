/** The report of a run. */
import { performance } from 'node:perf_hooks';
import type { CpuTimes } from './cpu.js';
import type { Figures } from './figures.js';

/** Event loop utilisation above which this program itself distorts latencies. */
const BUSY = 0.8;

/** Rates and latencies over some seconds. */
export function figureLines(figures: Figures, seconds: number): readonly string[] {
  const { frames, frameBytes, polls, failedPolls, negative } = figures;
  const clocks = negative === 0 ? '' : `; ${negative} below zero, the clocks differ`;
  return [
    `frames     ${frames} in ${seconds.toFixed(1)} s, ${perSecond(frames, seconds)} a second, ${perSecond(frameBytes, seconds)} bytes a second`,
    `latency    ${figures.deltaLatency}: from the service's receipt of a change to the checked book${clocks}`,
    `polls      ${polls}, ${perSecond(polls, seconds)} a second, ${failedPolls} failed`,
    `latency    ${figures.pollLatency}: from a request to the checked book`,
  ];
}

/** The same as an object. */
export function figureBody(figures: Figures, seconds: number): object {
  const { frames, frameBytes, polls, failedPolls, negative } = figures;
  const { deltaMs, pollMs } = figures;
  return { seconds, frames, frameBytes, polls, failedPolls, negative, deltaMs, pollMs };
}

/** The CPU time in cores; null for a service that shows no metrics. */
export function cpuFigures(before: CpuTimes, after: CpuTimes, seconds: number): object {
  const isKnown = before.service !== undefined && after.service !== undefined;
  const serviceCores = isKnown ? ((after.service ?? 0) - (before.service ?? 0)) / seconds : null;
  return { serviceCores, ownCores: (after.own - before.own) / seconds };
}

/** Returns a line with the CPU time of the service and of this process, in cores. */
export function cpuLine(before: CpuTimes, after: CpuTimes, seconds: number): string {
  const own = coresOf(after.own - before.own, seconds);
  const service =
    before.service === undefined || after.service === undefined
      ? 'of the service unknown, it shows no metrics'
      : `of the service ${coresOf(after.service - before.service, seconds)}`;
  const { utilization } = performance.eventLoopUtilization(after.ownLoop, before.ownLoop);
  const busy = utilization < BUSY ? '' : ', which is busy: the latencies are its own';
  return `cores      ${service}; of this program ${own}${busy}`;
}

function coresOf(cpuSeconds: number, seconds: number): string {
  return (cpuSeconds / seconds).toFixed(2);
}

function perSecond(count: number, seconds: number): string {
  return (seconds > 0 ? count / seconds : 0).toFixed(1);
}
