/** A core and its standby as processes: who writes the log when the core is killed. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { LogServices } from '../support/log-services.js';
import { ServiceChild } from '../support/service-child.js';
import { SignedServices } from '../support/signed-services.js';
import { becomesCore, NOTHING, Reader, showsTheChain, statusOf } from '../support/standby-scene.js';
import { until } from '../support/until.js';

const FEW_KILLS = 3;
const KILLS = Number(process.env['STANDBY_KILLS'] ?? FEW_KILLS);
/** A core is started for each kill. */
const TIMEOUT = { timeout: 300_000 + KILLS * 60_000 };
/** A machine that is busy with other tests is no reason to take a core for dead. */
const LEASE = KILLS > FEW_KILLS ? [] : ['--lease-ms', '6000'];

const services = new LogServices(22);

beforeAll(() => services.start());
afterEach(() => services.killServices());
afterAll(() => services.stop());

test(
  'a core that is killed is replaced: one epoch, no hole, and a short gap',
  TIMEOUT,
  async (context) => {
    const log = services.newLog(context, 'kills');
    const proofs = new SignedServices();
    const flagsOf = (name: string) => [...log, ...LEASE, ...proofs.flagsOf('core', name)];
    let core = await services.keep(ServiceChild.core(services.demo.relay, flagsOf('first')));
    const edge = await services.keep(
      ServiceChild.edge([...log, ...proofs.flagsOf('edge', 'edge')]),
    );
    const sizeNow = async () => proofs.sizeOf((await edge.get('/log/checkpoint')).text);
    await until('a signed log', async () => (await sizeNow()) > 0);
    const { epoch } = await statusOf(edge);
    const reader = await Reader.start(edge);
    const stopMoving = services.demo.keepMoving();
    const gaps: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const flags = flagsOf(`core-${kill}`);
      const standby = await services.keep(ServiceChild.standby(services.demo.relay, flags));
      expect(await standby.get('/ready')).toMatchObject({ status: 503 });
      const killedMs = performance.now();
      await core.kill();
      await becomesCore(standby);
      const coreMs = performance.now();
      await until('a change', () => reader.hasMovedSince(coreMs));
      const size = await sizeNow();
      await until('more leaves', async () => (await sizeNow()) > size + 1);
      const grown = [true, expect.stringMatching(/new, signed and grown$/)];
      expect(await proofs.verify(edge.url)).toEqual(grown);
      gaps.push(Math.round(reader.gapSince(killedMs)));
      core = standby;
    }
    await stopMoving();
    expect(reader.findings).toEqual(NOTHING);
    expect(await statusOf(edge)).toMatchObject({ epoch, state: 'live' });
    expect(await statusOf(core)).toMatchObject({ epoch, role: 'core' });
    expect((await edge.get('/metrics')).text).toContain('event="logRestores"} 1');
    await showsTheChain(services, edge);
    const sorted = [...gaps].sort((one, other) => one - other);
    const [median, max] = [sorted[sorted.length >> 1], sorted.at(-1)];
    if (KILLS > FEW_KILLS) {
      process.stdout.write(`${KILLS} kills: gaps ${median} ms at the median, ${max} ms at most\n`);
    }
  },
);
