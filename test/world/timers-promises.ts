/** Stands in for `node:timers/promises`. */
import { virtualTimers } from '../simulation/globals.js';

interface WaitOptions {
  readonly signal?: AbortSignal;
}

export function setTimeout<T>(delayMs = 1, value?: T, { signal }: WaitOptions = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      virtualTimers.clearTimeout(handle);
      reject(
        Object.assign(new Error('The operation was aborted'), {
          name: 'AbortError',
          code: 'ABORT_ERR',
        }),
      );
    };
    const handle = virtualTimers.setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value as T);
    }, delayMs);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

export function setImmediate<T>(value?: T): Promise<T> {
  return new Promise((resolve) => {
    virtualTimers.setImmediate(() => resolve(value as T));
  });
}

export async function* setInterval<T>(everyMs = 1, value?: T): AsyncGenerator<T> {
  for (;;) yield await setTimeout(everyMs, value as T);
}

// biome-ignore lint/style/noDefaultExport: the module has one.
export default { setTimeout, setImmediate, setInterval };
