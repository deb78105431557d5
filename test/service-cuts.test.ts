/** The service over many lost connections: the book is right after each of them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BookJudge } from './support/book-judge.js';
import { ServiceProbe } from './support/service-probe.js';
import { SteppedDemo } from './support/stepped-demo.js';
import { until } from './support/until.js';

const CUTS = 10;

let demo: SteppedDemo;
let service: ServiceProbe;

beforeAll(async () => {
  demo = await SteppedDemo.start({ seed: 11, makers: 40, slotTimeMs: 200 });
  service = await ServiceProbe.start(demo.relay);
});

afterAll(async () => {
  await service?.stop();
  await demo?.stop();
});

/** Cuts, and waits until a reading that began after the cut is in the book. */
async function cutAndWait(): Promise<void> {
  const from = service.states.length;
  demo.relay.cutSessions();
  await until(() => service.states.length > from && service.states.at(-1) === 'live');
}

test('connections cut amid writes and delays leave the book equal to the chain', async () => {
  const judge = new BookJudge(demo, service);
  for (let cut = 0; cut < CUTS; cut += 1) {
    demo.relay.delayBy((cut % 4) * 20);
    const writing = demo.step(40);
    demo.relay.cutSessions({ downMs: (cut % 3) * 30 });
    await writing;
    demo.relay.delayBy(0);
    // What was written last may be notified to nobody: only a reading after it is sure to have it.
    await cutAndWait();
    service.hasRead(await demo.texts());
    await judge.compare();
    // And what is written now reaches the book by the new connection alone.
    await demo.step(10);
    await judge.compare();
  }
  expect(service.states.filter((state) => state === 'live').length).toBeGreaterThan(CUTS);
});
