/** What a test of a world imports as `vitest`: tests and hooks run on the world's time. */
import * as real from 'vitest';
import { currentMachine, virtualTimers } from '../simulation/globals.js';
import { drive } from './drive.js';

export * from 'vitest';

type AnyFunction = (...values: unknown[]) => unknown;

/** The same function on the world's time; one that declares no context gets none. */
function driven(run: AnyFunction): AnyFunction {
  const drivenRun = (...values: unknown[]): unknown => {
    const given = values.map(withDrivenHooks);
    return drive(() => run(...given));
  };
  Object.defineProperty(drivenRun, 'length', { value: run.length });
  // The runner reads which fixtures a test wants from its text.
  drivenRun.toString = () => run.toString();
  return drivenRun;
}

/** The hooks that a test adds by its context run on the world's time too. */
function withDrivenHooks(value: unknown): unknown {
  // The runner's context is a function.
  if (typeof value !== 'function' || !('onTestFinished' in value)) return value;
  return new Proxy(value, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      return name === 'onTestFinished' || name === 'onTestFailed' ? drivenHook(member) : member;
    },
  });
}

function withDriven(values: readonly unknown[]): unknown[] {
  return values.map((value) => {
    return typeof value === 'function' ? driven(value as AnyFunction) : value;
  });
}

/** `test` and all that hangs on it. */
function drivenTest(api: AnyFunction): AnyFunction {
  return new Proxy(api, {
    apply: (target, self, values: unknown[]) => Reflect.apply(target, self, withDriven(values)),
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      if (name === 'each' || name === 'for' || name === 'skipIf' || name === 'runIf') {
        return (...values: unknown[]) =>
          drivenTest(Reflect.apply(member as AnyFunction, target, values) as AnyFunction);
      }
      return drivenTest(member as AnyFunction);
    },
  });
}

export const test = drivenTest(real.test as unknown as AnyFunction) as unknown as typeof real.test;
export const it = test;

type Hook = (run: AnyFunction, timeoutMs?: number) => void;

function drivenHook(hook: unknown): Hook {
  return (run, timeoutMs) => {
    const drivenRun = async (...values: unknown[]): Promise<unknown> => {
      const cleanUp = await drive(() => run(...values));
      return typeof cleanUp === 'function' ? driven(cleanUp as AnyFunction) : cleanUp;
    };
    // The runner reads which fixtures a hook wants from its text.
    drivenRun.toString = () => run.toString();
    (hook as Hook)(drivenRun, timeoutMs);
  };
}

export const beforeAll = drivenHook(real.beforeAll) as unknown as typeof real.beforeAll;
export const beforeEach = drivenHook(real.beforeEach) as unknown as typeof real.beforeEach;
export const afterAll = drivenHook(real.afterAll) as unknown as typeof real.afterAll;
export const afterEach = drivenHook(real.afterEach) as unknown as typeof real.afterEach;
export const onTestFinished = drivenHook(real.onTestFinished) as typeof real.onTestFinished;

/** Timers that run when all are to run, as in the package. */
const TIMERS_MAX = 10_000;
/** Pause between two tries of what is waited for. */
const TRY_MS = 20;
const WAITED_MS_MAX = 60_000;

function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => void virtualTimers.setTimeout(resolve, delayMs));
}

type Waited = number | { readonly timeout?: number; readonly interval?: number };

/** Tries until it does not throw, on the world's time. */
async function waitFor<T>(tryOnce: () => T | Promise<T>, options: Waited = {}): Promise<T> {
  const { timeout = WAITED_MS_MAX, interval = TRY_MS } =
    typeof options === 'number' ? { timeout: options } : options;
  const { time } = currentMachine();
  const untilMs = time.nowMs + timeout;
  for (;;) {
    try {
      return await tryOnce();
    } catch (error) {
      if (time.nowMs >= untilMs) throw error;
    }
    await sleep(interval);
  }
}

/** `vi`, whose timers are those of the world: they are always virtual. */
const virtualTime = {
  useFakeTimers: () => vi,
  useRealTimers: () => vi,
  advanceTimersByTime: (byMs: number) => {
    currentMachine().time.advance(byMs);
    return vi;
  },
  advanceTimersByTimeAsync: async (byMs: number) => {
    if (byMs > 0) await sleep(byMs);
    // All else that is due by then comes first.
    await new Promise<void>((resolve) => void currentMachine().time.planImmediate(resolve));
    return vi;
  },
  runAllTimersAsync: async () => {
    await sleep(0);
    currentMachine().time.runOut(TIMERS_MAX);
    await sleep(0);
    return vi;
  },
  advanceTimersToNextTimer: () => {
    currentMachine().time.runOut(1);
    return vi;
  },
  getTimerCount: () => currentMachine().time.planned,
  waitFor,
};

export const vi: typeof real.vi = new Proxy(real.vi, {
  get: (target, name) => {
    if (name in virtualTime) return Reflect.get(virtualTime, name) as unknown;
    const member: unknown = Reflect.get(target, name);
    // Which file mocks a module is found by the name of this object on the stack.
    return typeof member === 'function' ? member.bind(target) : member;
  },
});

type Matchers = Record<string, (...values: unknown[]) => unknown>;

/** Matchers that are tried again and again until they hold. */
function polled(read: () => unknown, options: Waited, chain: readonly string[]): unknown {
  return new Proxy(() => undefined, {
    get: (_, name: string) => polled(read, options, [...chain, name]),
    apply: (_, __, values: unknown[]) =>
      waitFor(async () => {
        let matchers: unknown = real.expect(await read());
        const matcher = chain.at(-1) ?? '';
        for (const name of chain.slice(0, -1)) matchers = (matchers as Matchers)[name];
        return (matchers as Matchers)[matcher]?.(...values);
      }, options),
  });
}

export const expect = new Proxy(real.expect, {
  get: (target, name) => {
    if (name !== 'poll') return Reflect.get(target, name) as unknown;
    return (read: () => unknown, options: Waited = {}) => polled(read, options, []);
  },
});
