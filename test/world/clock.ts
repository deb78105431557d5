/**
 * The globals of time and network in a world, by the names that modules use: the plugin of this folder gives each
 * module those that it names. No global of the process is touched.
 */
import {
  abortAfter,
  abortWithAny,
  currentMachine,
  VirtualDate,
  virtualTimers,
} from '../simulation/globals.js';
import { fetchInWorld } from './fetch.js';

export const {
  setTimeout,
  setInterval,
  setImmediate,
  clearTimeout,
  clearInterval,
  clearImmediate,
} = virtualTimers;

/** The monotonic clock; all else is the process's own. */
export const performance = new Proxy(globalThis.performance, {
  get: (real, name) => {
    if (name === 'now') return () => currentMachine().time.readMs();
    const value: unknown = Reflect.get(real, name, real);
    return typeof value === 'function' ? value.bind(real) : value;
  },
});

/** The chance of the world; all else is the process's own. */
const chanceOfWorld: Math = Object.assign(Object.create(globalThis.Math), {
  random: () => currentMachine().random.nextBelow(2 ** 32) / 2 ** 32,
});

/** Signals that abort by the world's time. */
export const AbortSignal = new Proxy(globalThis.AbortSignal, {
  get: (real, name) => {
    if (name === 'timeout') return abortAfter;
    if (name === 'any') return abortWithAny;
    return Reflect.get(real, name, real);
  },
});

export { chanceOfWorld as Math, fetchInWorld as fetch, VirtualDate as Date };
