import { Follower } from '../../src/follow/follower.js';
import type { ServiceChild } from './service-child.js';
import { until } from './until.js';

/** A strict reader of one market at an edge, which has its first snapshot, bears a minute of silence, and stops with its test. */
export async function followEdge(
  { url }: ServiceChild,
  market: string,
  ends: (() => Promise<unknown>)[],
): Promise<Follower> {
  const topic = { channel: 'book', market, depth: 50, vamm: true } as const;
  const follower = new Follower({ url, topic, silenceMsMax: 60_000 });
  follower.start();
  ends.push(() => follower.stop());
  await until('a snapshot', () => follower.tally.frames.snapshot > 0);
  return follower;
}
