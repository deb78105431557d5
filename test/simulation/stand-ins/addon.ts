/** The real addon; what it does on another thread is waited for while virtual time stands still. */
import { decodeSnapshot as decodeOnThread } from '@slotbook/core';
import { currentMachine } from '../globals.js';

export * from '@slotbook/core';

type Decoded = Awaited<ReturnType<typeof decodeOnThread>>;

/** Longest time that the thread takes. */
const DECODE_MS_MAX = 30;

/** Decodes as the addon does; the time that it takes is the run's own. */
export function decodeSnapshot(body: Uint8Array, keys: string[]): Promise<Decoded> {
  const { time, random } = currentMachine();
  return new Promise((resolve, reject) => {
    const { owner } = time;
    time.plan(random.nextBetween(1, DECODE_MS_MAX), () => {
      const work = decodeOnThread(body, keys);
      time.awaitReal(work);
      work.then(
        (decoded) => void time.plan(0, () => resolve(decoded), owner),
        (error: unknown) => void time.plan(0, () => reject(error), owner),
      );
    });
  });
}
