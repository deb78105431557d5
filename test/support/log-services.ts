import type { TestContext } from 'vitest';
import { NatsServer, natsMissing } from './nats-server.js';
import type { ServiceChild } from './service-child.js';
import { SteppedDemo } from './stepped-demo.js';

/** A real chain and a real NATS server for a file of tests, and the cores and edges of each test on them. */
export class LogServices {
  readonly #running: ServiceChild[] = [];
  #nats: NatsServer | undefined;
  #demo: SteppedDemo | undefined;

  constructor(private readonly seed: number) {}

  /** Before all tests. Does nothing where there is no NATS server: {@link LogServices.newLog} then skips. */
  async start(): Promise<void> {
    if (natsMissing !== undefined) return;
    this.#nats = await NatsServer.start();
    this.#demo = await SteppedDemo.start({ seed: this.seed, makers: 6, slotTimeMs: 100 });
  }

  get nats(): NatsServer {
    if (this.#nats === undefined) throw new Error('NATS was not started');
    return this.#nats;
  }

  get demo(): SteppedDemo {
    if (this.#demo === undefined) throw new Error('the chain was not started');
    return this.#demo;
  }

  /** The flags of a log of its own for each test. */
  newLog({ skip }: TestContext, name: string): readonly string[] {
    skip(natsMissing !== undefined, natsMissing);
    return ['--nats', this.nats.url, '--nats-stream', name];
  }

  /** Resolves with a service that ends with its test. */
  async keep(starting: Promise<ServiceChild>): Promise<ServiceChild> {
    const service = await starting;
    this.#running.push(service);
    return service;
  }

  /** After each test. */
  async killServices(): Promise<void> {
    for (const service of this.#running.splice(0)) await service.kill();
  }

  /** After all tests. */
  async stop(): Promise<void> {
    await this.#demo?.stop();
    await this.#nats?.stop();
  }
}
