/** Stands in for `node:zlib`: what it does on other threads takes no time. */
import * as real from 'node:zlib';
import { standStill } from '../simulation/real-work.js';

export * from 'node:zlib';

type Done = (error: Error | null, result?: Buffer) => void;

export const gzip = ((...given: unknown[]): void => {
  const done = given.pop() as Done;
  const work = new Promise<Buffer>((resolve, reject) => {
    const settle: Done = (error, result) => {
      if (error === null && result !== undefined) resolve(result);
      else reject(error);
    };
    (real.gzip as unknown as (...values: unknown[]) => void)(...given, settle);
  });
  standStill(work).then((result) => done(null, result), done);
}) as typeof real.gzip;
