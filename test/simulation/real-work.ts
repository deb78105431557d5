/** Work that the process itself does on other threads: the time of the world stands still meanwhile. */
import { currentMachine } from './globals.js';

/** The same promise, which settles as an event of its owner. */
export function standStill<T>(work: Promise<T>): Promise<T> {
  const { time } = currentMachine();
  const { owner } = time;
  time.awaitReal(work);
  return new Promise((resolve, reject) => {
    work.then(
      (value) => void time.plan(0, () => resolve(value), owner),
      (error: unknown) => void time.plan(0, () => reject(error), owner),
    );
  });
}

type Call = (...values: unknown[]) => unknown;

/** The same object; what its functions promise comes without time passing. */
export function still<T extends object>(of: T): T {
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
