/** Runs the code of a test: virtual time passes while it waits, and stands still while it does not. */
import { currentMachine, useMachine } from '../simulation/globals.js';
import { startOver } from './start-over.js';

/** Runs this to its end; the time of the world passes only meanwhile. */
export async function drive<T>(work: () => T | PromiseLike<T>): Promise<T> {
  const { time } = currentMachine();
  let outcome: PromiseSettledResult<T> | null = null;
  const begin = async (): Promise<T> => work();
  time.plan(0, () => {
    begin().then(
      (value) => {
        outcome = { status: 'fulfilled', value };
      },
      (reason: unknown) => {
        outcome = { status: 'rejected', reason };
      },
    );
  });
  await time.runWhile(() => outcome === null);
  const ended = outcome as PromiseSettledResult<T> | null;
  if (ended === null) throw new Error('Invariant: the work has ended');
  if (ended.status === 'rejected') throw ended.reason;
  return ended.value;
}

/** Runs this in a world of its own, which begins and ends with it; the present one stands still meanwhile. */
export function inFreshWorld<T>(work: () => Promise<T>): Promise<T> {
  const present = currentMachine();
  startOver();
  const done = drive(work).finally(() => useMachine(present));
  present.time.awaitReal(done);
  return done;
}
