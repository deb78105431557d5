/** The logins of ops/nats.conf on a real server: each role can do its work, and no other's. */
import { expect, test } from 'vitest';
import { subjectOf } from '../../src/journal/nats/connect.js';
import { LeafStreams } from '../../src/journal/nats/leaf-streams.js';
import { Lease } from '../../src/journal/nats/lease.js';
import { silentLog } from '../../src/rpc/log.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { Core, Edge, newSetup, openLog, server, useLogServer } from '../support/log-scene.js';
import { NatsServer } from '../support/nats-server.js';
import { until } from '../support/until.js';

useLogServer(() => NatsServer.startWithRoles());

test('a core writes, an edge follows, and the edge can neither write nor delete', async (context) => {
  const plain = newSetup(context);
  const setupOf = (role: string) => ({
    ...plain,
    log: { stream: 'slotbook', servers: [server.urlOf(role, role)] },
  });
  const [ofCore, ofEdge] = [setupOf('core'), setupOf('edge')];
  const lease = new Lease({
    ...{ place: ofCore.log, holder: 'a', leaseMs: 2_000, replicas: 1 },
    ...{ timers: systemTimers, log: silentLog },
  });
  expect(await lease.tryHold()).toBe(true);
  const core = await Core.start(ofCore, { seed: 41 });
  await core.writeSlots(3);
  await until('a stored checkpoint', () => core.stored === 1);
  const edge = new Edge(ofEdge);
  await edge.showsBook(core.book);
  const { stream, manager } = await openLog(ofEdge);
  const refused = { message: expect.stringMatching(/permission|timeout/i) };
  await expect(
    stream.publish(subjectOf(ofEdge.log), Buffer.from('x'), { timeout: 500 }),
  ).rejects.toMatchObject(refused);
  await expect(manager.streams.delete('OBJ_slotbook-checkpoints')).rejects.toMatchObject(refused);
  await expect(manager.streams.purge('slotbook')).rejects.toMatchObject(refused);
  await core.writeSlots(3);
  await edge.showsBook(core.book);
  await manager.streams.delete('slotbook').catch(() => undefined);
  // A reader's request for a checkpoint reaches the core.
  const ofOwner = await openLog(ofCore);
  await ofOwner.manager.streams.delete('OBJ_slotbook-checkpoints');
  const late = new Edge(ofEdge);
  await until('another checkpoint', async () => {
    await core.writeSlots(1);
    return core.stored > 1;
  });
  await late.showsBook(core.book);
  await lease.stop();
});

test('a core appends to the signed log, and an edge reads it and cannot', async (context) => {
  const plain = newSetup(context);
  const streamsOf = (role: string, writer = {}): LeafStreams => {
    const place = { stream: 'slotbook', servers: [server.urlOf(role, role)] };
    const streams = new LeafStreams({ place, timers: systemTimers, log: silentLog, ...writer });
    context.onTestFinished(() => streams.stop());
    return streams;
  };
  const core = streamsOf('core', { writer: { run: 'a', setup: plain } });
  const edge = streamsOf('edge', { writer: { run: 'b', setup: plain } });
  await core.claim();
  await core.appendLeaf(0, Buffer.from('leaf'));
  await core.appendProof({ note: 'note', index: 0, entries: Buffer.from('entries') });
  void edge.claim().catch(() => undefined);
  for await (const { bytes } of edge.readLeaves(0)) if (bytes.length > 0) break;
  for await (const { note } of edge.readProofs()) if (note !== '') break;
  await core.appendLeaf(1, Buffer.from('leaf'));
  const { stream } = await openLog({
    ...plain,
    log: { stream: 'slotbook', servers: [server.urlOf('edge', 'edge')] },
  });
  for (const name of ['leaves', 'proofs']) {
    const late = stream.publish(`slotbook-${name}.log`, Buffer.from('x'), { timeout: 500 });
    await expect(late).rejects.toMatchObject({
      message: expect.stringMatching(/permission|timeout/i),
    });
  }
  await core.appendLeaf(2, Buffer.from('leaf'));
});
