/** The streams of a signed log, on a NATS server. */
import { expect, test } from 'vitest';
import { newSetup, useLogServer } from '../../../test/support/log-scene.js';
import type { Timers } from '../../contract/timers.js';
import { silentLog } from '../../rpc/log.js';
import { sleep, systemTimers } from '../../rpc/timers.js';
import { LEAVES_RETRY_MS_MAX } from '../model/limits.js';
import { LeafStreams } from './leaf-streams.js';

useLogServer();

const A_MINUTE_MS = 60_000;
/** Of both streams, with the first tries, which come sooner, and jitter of a half. */
const PAUSES_MAX = 2 * (5 + A_MINUTE_MS / (LEAVES_RETRY_MS_MAX / 2));

test('streams that nobody has made are asked for ever more seldom, and read once they are there', async (context) => {
  const setup = newSetup(context);
  let pauses = 0;
  const timers: Timers = {
    ...systemTimers,
    after: (ms, run) => {
      pauses += 1;
      return systemTimers.after(ms, run);
    },
  };
  const edge = new LeafStreams({ place: setup.log, log: silentLog, timers });
  const leaf = edge.readLeaves(0).next();
  const proof = edge.readProofs().next();
  await sleep(systemTimers, A_MINUTE_MS);
  expect(pauses).toBeLessThan(PAUSES_MAX);
  const core = new LeafStreams({
    ...{ place: setup.log, log: silentLog, timers: systemTimers },
    writer: { run: 'core', setup },
  });
  await core.claim();
  await core.appendLeaf(0, Buffer.from('leaf'));
  const late = sleep(systemTimers, 2 * LEAVES_RETRY_MS_MAX);
  const found = await Promise.race([Promise.all([leaf, proof]), late]);
  expect(found).toMatchObject([{ value: { sequence: 1 } }, { value: { sequence: 1 } }]);
  for (const streams of [edge, core]) await streams.stop();
});
