/** The real addon; what it does on another thread is waited for while virtual time stands still. */
import { decodeSnapshot as decodeOnThread } from '@slotbook/core/native';
import { currentMachine } from '../globals.js';
import { standStill } from '../real-work.js';

export * from '@slotbook/core/native';

type Decoded = Awaited<ReturnType<typeof decodeOnThread>>;

/** Longest time that the thread takes. */
const DECODE_MS_MAX = 30;

/** Decodes as the addon does; the time that it takes is the run's own. */
export function decodeSnapshot(body: Uint8Array, keys: string[]): Promise<Decoded> {
  const { time, random } = currentMachine();
  return new Promise((resolve, reject) => {
    time.plan(random.nextBetween(1, DECODE_MS_MAX), () => {
      standStill(decodeOnThread(body, keys)).then(resolve, reject);
    });
  });
}
