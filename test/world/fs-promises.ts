/** Stands in for `node:fs/promises`: the real calls, during which time stands still. */
import * as real from 'node:fs/promises';
import { standStill } from '../simulation/real-work.js';

type Call = (...values: unknown[]) => unknown;

/** The same object; what its functions promise comes without time passing. */
function still<T extends object>(of: T): T {
  return new Proxy(of, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...values: unknown[]): unknown => {
        const result = (member as Call).apply(target, values);
        return result instanceof Promise ? standStill(result) : result;
      };
    },
  });
}

const { open: openReal, ...others } = real;

export const open: typeof real.open = async (...given) =>
  still(await standStill(openReal(...given)));

export const { access, appendFile, copyFile, mkdir, mkdtemp, readdir, readFile } = still(others);
export const { rename, rm, stat, truncate, unlink, writeFile } = still(others);
