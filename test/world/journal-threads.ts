/** Stands in for the threads of the journal: the same code in this process, each as an owner of its own. */

import { threadFailed } from '../../src/journal/model/error.js';
import type { ThreadKind } from '../../src/journal/model/messages.js';
import { LogWriter } from '../../src/journal/nats/log-writer.js';
import { readPast } from '../../src/journal/replays/past.js';
import { DiskWriter } from '../../src/journal/worker/disk-writer.js';
import { JournalService } from '../../src/journal/worker/service.js';
import type { ThreadLink, ThreadListener } from '../../src/rpc/threads.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { currentMachine } from '../simulation/globals.js';
import { closeFilesOf } from '../simulation/stand-ins/libsql.js';
import type { VirtualTime } from '../simulation/virtual-time.js';

/** One way between the threads. */
const LINK_MS = 0.05;

/** What a thread does with messages; it is made on the thread. */
type Body<In, Out> = (post: (message: Out) => void, end: (cause: unknown) => void) => Receive<In>;
type Receive<In> = (message: In) => void | Promise<void>;

/** Ends the thread of an owner with what it did not catch; each time is told once of all threads. */
const endings = new Map<number, (cause: unknown) => void>();
const watched = new WeakSet<VirtualTime>();

function endThreadsThatThrow(time: VirtualTime): void {
  if (watched.has(time)) return;
  watched.add(time);
  endings.clear();
  const { onThrown } = time;
  time.onThrown = (error, owner) => {
    const end = endings.get(owner);
    if (end === undefined) onThrown(error, owner);
    else end(error);
  };
}

/** A thread that copies messages, as the real one does, and ends with what it does not catch. */
class Thread<In, Out> {
  readonly #time = currentMachine().time;
  readonly #parent = this.#time.owner;
  readonly #owner = this.#time.newOwner(this.#parent);
  readonly #onEnd: (cause: Error) => void;
  #receive: Receive<In> = () => undefined;

  constructor(
    body: Body<In, Out>,
    listener: { onMessage(message: Out): void; onEnd(cause: Error): void },
  ) {
    this.#onEnd = (cause) => listener.onEnd(cause);
    endThreadsThatThrow(this.#time);
    endings.set(this.#owner, (cause) => this.#end(cause));
    const post = (message: Out): void => {
      const copy = structuredClone(message);
      this.#time.plan(LINK_MS, () => listener.onMessage(copy), this.#parent);
    };
    this.#run(() => {
      this.#receive = body(post, (cause) => this.#end(cause));
    });
  }

  send(message: In): void {
    const copy = structuredClone(message);
    this.#run(() => this.#receive(copy));
  }

  terminate(): void {
    this.#end(threadFailed('it ended with code 1'));
  }

  #run(work: () => void | Promise<void>): void {
    const runNow = async (): Promise<void> => work();
    this.#time.plan(LINK_MS, () => void runNow().catch((error) => this.#end(error)), this.#owner);
  }

  #end(cause: unknown): void {
    if (this.#time.hasEnded(this.#owner)) return;
    this.#time.endOwner(this.#owner);
    closeFilesOf((one) => one === this.#owner);
    this.#time.plan(LINK_MS, () => this.#onEnd(cause as Error), this.#parent);
  }
}

/** The bodies of the threads by their kind. */
const BODIES: {
  readonly [Kind in keyof ThreadKind]: (
    setup: ThreadKind[Kind]['setup'],
  ) => Body<ThreadKind[Kind]['to'], ThreadKind[Kind]['from']>;
} = {
  worker: (setup) => (post, end) => {
    const service = new JournalService({
      setup,
      post,
      timers: systemTimers,
      createSink: (parts) =>
        'folder' in setup ? new DiskWriter({ ...parts, setup }) : new LogWriter(setup, parts),
    });
    service.start().catch(end);
    return async (message) => {
      if (message.kind !== 'stop') return service.receiveMessage(message);
      await service.stop();
      end(threadFailed('it ended with code 0'));
    };
  },
  replays: (setup) => (post) => readPast({ setup, post, timers: systemTimers }),
};

/** Of `src/journal/worker-link.ts`. */
export function startThread<Kind extends keyof ThreadKind>(
  kind: Kind,
  setup: ThreadKind[Kind]['setup'],
  listener: ThreadListener<ThreadKind[Kind]['from']>,
): ThreadLink<ThreadKind[Kind]['to']> {
  const thread = new Thread(BODIES[kind](setup), listener);
  return {
    sendMessage: (message) => thread.send(message),
    terminate: async () => thread.terminate(),
  };
}
