/**
 * The globals of time and network in a world, by the names that modules use: the plugin of this folder gives each
 * module those that it names. No global of the process is touched.
 */
import {
  abortAfter,
  abortWithAny,
  chance,
  currentMachine,
  VirtualDate,
  virtualTimers,
} from '../simulation/globals.js';
import { still } from '../simulation/real-work.js';
import { fetchInWorld } from './fetch.js';

export const {
  setTimeout,
  setInterval,
  setImmediate,
  clearTimeout,
  clearInterval,
  clearImmediate,
} = virtualTimers;

/** Readings of one moment after which time passes with each: a loop that waits for it ends. */
const READINGS_MAX = 10_000;
const read = { atMs: 0, times: 0 };

/** Time stands still while a test does not wait, as timers of a test have it. */
function readMs(): number {
  const { time } = currentMachine();
  read.times = time.nowMs === read.atMs ? read.times + 1 : 0;
  read.atMs = read.times > READINGS_MAX ? time.readMs() : time.nowMs;
  return read.atMs;
}

/** The monotonic clock, which a test may replace; all else is the process's own. */
export const performance = new Proxy({ now: readMs } as typeof globalThis.performance, {
  get: (own, name) => {
    if (Object.hasOwn(own, name)) return Reflect.get(own, name) as unknown;
    const value: unknown = Reflect.get(globalThis.performance, name);
    return typeof value === 'function' ? value.bind(globalThis.performance) : value;
  },
});

/** The chance of the world; all else is the process's own. */
const chanceOfWorld: Math = Object.assign(Object.create(globalThis.Math), { random: chance });

/** Signals that abort by the world's time. */
export const AbortSignal = new Proxy(globalThis.AbortSignal, {
  get: (real, name) => {
    if (name === 'timeout') return abortAfter;
    if (name === 'any') return abortWithAny;
    return Reflect.get(real, name, real);
  },
});

/** The same object; what WebCrypto promises comes without time passing. */
export const crypto = new Proxy(globalThis.crypto, {
  get: (real, name) => {
    const value: unknown = Reflect.get(real, name, real);
    if (name === 'subtle') return still(real.subtle);
    return typeof value === 'function' ? value.bind(real) : value;
  },
});

export { chanceOfWorld as Math, fetchInWorld as fetch, VirtualDate as Date };
