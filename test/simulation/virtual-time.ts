/**
 * Time that passes only when nothing is left to do: a heap of events in the order of their times, and a
 * loop that runs one after the other as fast as the machine allows. The same events in the same order
 * give the same run, byte by byte.
 */

/** The world outside of the service: chain, network, clients and faults. */
export const WORLD = 0;

/** Added to the time by each reading of it, so that a loop that waits for the time to pass ends. */
const READING_MS = 0.000_1;

/** Events of one run: far more than a run of six minutes has, and a loop without end is noticed. */
const EVENTS_MAX = 20_000_000;

/** Events between two turns of the process's own loop. */
const EVENTS_PER_SLICE = 1_000;

/** When an event of an instant runs: what the loop has read from its sockets comes before immediates. */
const PHASE = { event: 0, immediate: 1 } as const;

/** One planned call; cancelling twice or after it ran does nothing. */
export class PlannedEvent {
  constructor(
    public atMs: number,
    readonly phase: number,
    readonly order: number,
    readonly owner: number,
    public run: (() => void) | null,
  ) {}

  cancel(): void {
    this.run = null;
  }

  isBefore(other: PlannedEvent): boolean {
    if (this.atMs !== other.atMs) return this.atMs < other.atMs;
    return this.phase === other.phase ? this.order < other.order : this.phase < other.phase;
  }
}

/** Drains microtasks and ticks as Node does between two callbacks. */
const drainMicrotasks = (process as unknown as { _tickCallback: () => void })._tickCallback;

/** The events of a run and their time. Every event has an owner: the world, or one run of the service. */
export class VirtualTime {
  /** Whose event runs now; what it plans is its own. */
  owner = WORLD;
  /** Called with what an event threw: a process would have ended. */
  onThrown: (error: unknown, owner: number) => void = (error) => {
    throw error;
  };
  #nowMs = 0;
  #order = 0;
  #ran = 0;
  readonly #heap: PlannedEvent[] = [];
  readonly #ended = new Set<number>();
  /** Of threads: the process that they end with. */
  readonly #parents = new Map<number, number>();
  #owners = 0;
  readonly #pausedUntilMs = new Map<number, number>();
  #awaited: Promise<void> | null = null;
  #isStopped = false;

  /** Milliseconds since the start of the run. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Events that ran. */
  get ran(): number {
    return this.#ran;
  }

  /** The time as a program reads it. */
  readMs(): number {
    this.#nowMs += READING_MS;
    return this.#nowMs;
  }

  /** Plans a call of the present owner, or of the one that is named. */
  plan(delayMs: number, run: () => void, owner = this.owner): PlannedEvent {
    return this.#push(this.#nowMs + Math.max(0, delayMs), PHASE.event, owner, run);
  }

  /** Plans a call after everything else of this instant. */
  planImmediate(run: () => void): PlannedEvent {
    return this.#push(this.#nowMs, PHASE.immediate, this.owner, run);
  }

  /** Plans a call at a time of the run. */
  planAt(atMs: number, run: () => void): PlannedEvent {
    return this.#push(Math.max(atMs, this.#nowMs), PHASE.event, this.owner, run);
  }

  /** A process, or a thread of one. */
  newOwner(parent?: number): number {
    this.#owners += 1;
    if (parent !== undefined) this.#parents.set(this.#owners, parent);
    return this.#owners;
  }

  /** Nothing of this owner and its threads runs any more: it was killed. */
  endOwner(owner: number): void {
    this.#ended.add(owner);
  }

  /** Whether the owner, or the process of this thread, was killed. */
  hasEnded(owner: number): boolean {
    return this.#ended.has(owner) || this.#ended.has(this.#parents.get(owner) ?? WORLD);
  }

  /** Nothing of this owner runs for so long: its process is stopped, and all it waits for piles up. */
  pauseOwner(owner: number, pauseMs: number): void {
    const untilMs = Math.max(this.#pausedUntilMs.get(owner) ?? 0, this.#nowMs + pauseMs);
    this.#pausedUntilMs.set(owner, untilMs);
  }

  /** Time stands still until the promise has settled: for work of another thread. */
  awaitReal(work: Promise<unknown>): void {
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    const before = this.#awaited;
    this.#awaited = before === null ? settled : before.then(() => settled);
  }

  /** Lets time pass within the present event, with everything that falls due in it. */
  advance(byMs: number): void {
    const { owner } = this;
    const untilMs = this.#nowMs + byMs;
    while (this.#runNext(untilMs));
    this.#nowMs = Math.max(this.#nowMs, untilMs);
    this.owner = owner;
  }

  /** Runs all that is planned within the present event, at most so many events. */
  runOut(eventsMax: number): void {
    const { owner } = this;
    for (let ran = 0; ran < eventsMax && this.#runNext(Number.POSITIVE_INFINITY); ran += 1);
    this.owner = owner;
  }

  /** Events that are planned. */
  get planned(): number {
    return this.#heap.filter(({ run }) => run !== null).length;
  }

  /** Ends the run after the present event. */
  stop(): void {
    this.#heap.length = 0;
    this.#isStopped = true;
  }

  /** Runs all events up to this time. */
  async runUntil(untilMs: number): Promise<void> {
    const runAll = (): void => {
      while (this.#awaited === null && !this.#isStopped && this.#runNext(untilMs));
    };
    while (await this.#runInTurn(runAll));
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  /**
   * Runs events as long as this holds, beside whatever the process itself has to do: where no event is left, or
   * real work is awaited, time stands still.
   */
  async runWhile(holds: () => boolean): Promise<void> {
    const runSome = (): void => {
      for (let ran = 0; ran < EVENTS_PER_SLICE && this.#awaited === null && holds(); ran += 1) {
        if (!this.#runNext(Number.POSITIVE_INFINITY)) return;
      }
    };
    while (holds()) await this.#runInTurn(runSome);
  }

  /**
   * Runs events in a callback of its own, as microtasks are not drained within one. Resolves with whether real work
   * was awaited, after that.
   */
  #runInTurn(runEvents: () => void): Promise<boolean> {
    return new Promise((resolve, reject) => {
      realSetImmediate(() => {
        try {
          runEvents();
        } catch (error) {
          reject(error);
          return;
        }
        const awaited = this.#awaited;
        this.#awaited = null;
        if (awaited === null) resolve(false);
        else void awaited.then(() => resolve(true));
      });
    });
  }

  /** Runs the next event, or leaves out one that no longer counts; false where there is none by then. */
  #runNext(untilMs: number): boolean {
    const next = this.#heap[0];
    if (next === undefined || next.atMs > untilMs) return false;
    this.#pop();
    if (next.run === null || this.hasEnded(next.owner)) return true;
    const pausedUntilMs = this.#pausedUntilMsOf(next.owner);
    if (pausedUntilMs > next.atMs) this.#push(pausedUntilMs, next.phase, next.owner, next.run);
    else this.#runEvent(next, next.run);
    return true;
  }

  #pausedUntilMsOf(owner: number): number {
    if (this.#pausedUntilMs.size === 0) return 0;
    const parent = this.#parents.get(owner) ?? owner;
    return this.#pausedUntilMs.get(parent) ?? 0;
  }

  #runEvent(event: PlannedEvent, run: () => void): void {
    this.#nowMs = Math.max(this.#nowMs, event.atMs);
    this.owner = event.owner;
    this.#ran += 1;
    if (this.#ran > EVENTS_MAX) throw new Error(`events were ${EVENTS_MAX}, must be fewer`);
    event.run = null;
    try {
      run();
    } catch (error) {
      this.onThrown(error, event.owner);
    }
    drainMicrotasks();
    this.owner = WORLD;
  }

  #push(atMs: number, phase: number, owner: number, run: () => void): PlannedEvent {
    this.#order += 1;
    const event = new PlannedEvent(atMs, phase, this.#order, owner, run);
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = heap[parentAt] as PlannedEvent;
      if (!event.isBefore(parent)) break;
      heap[at] = parent;
      at = parentAt;
    }
    heap[at] = event;
    return event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as PlannedEvent;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let childAt = 2 * at + 1;
      if (childAt >= heap.length) break;
      const right = heap[childAt + 1];
      if (right?.isBefore(heap[childAt] as PlannedEvent) === true) childAt += 1;
      const child = heap[childAt] as PlannedEvent;
      if (!child.isBefore(last)) break;
      heap[at] = child;
      at = childAt;
    }
    heap[at] = last;
  }
}

/** Of the machine: the loop itself turns in real time. */
const realSetImmediate = globalThis.setImmediate;
