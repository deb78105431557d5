/** A scene's journal, which writes on demand, and its player. */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { JournalState } from '../../src/contract/journal-source.js';
import type { PublishMark } from '../../src/contract/publish-mark.js';
import type { Engine } from '../../src/engine/engine.js';
import { JournalWriter } from '../../src/engine/journal-writer.js';
import { segmentName } from '../../src/journal/store/segment-name.js';
import { TopicReplays } from '../../src/journal/topic-replays.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';

/** A journal in a folder of its own. */
export class SceneJournal {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'slotbook-scene-journal-'));
  readonly replays: TopicReplays;
  #writer = new JournalWriter(PROGRAM_ID);
  #engine: Engine | undefined;
  /** Added to the numbers of segments. */
  #skipped = 0;
  #segment = 0;
  /** Whether writes are lost from now until the next segment. */
  #isLost = false;
  /** The result of a flush: the journal is complete. */
  isWhole = true;
  state: JournalState = 'writing';

  constructor(replaysMax?: number) {
    this.replays = new TopicReplays({
      timers: systemTimers,
      files: { folder: this.folder, programId: PROGRAM_ID },
      journal: this,
      log: { info: () => undefined, warn: () => undefined },
      ...(replaysMax === undefined ? {} : { replaysMax }),
    });
  }

  /** Logs an engine, which must not have accounts yet. */
  attach(engine: Engine): void {
    this.#engine = engine;
    engine.turnLog.start();
  }

  /** Restarts the service with another engine: its files follow the earlier files. */
  restart(engine: Engine): void {
    this.write();
    this.#skipped += this.#segment + 1;
    this.#segment = 0;
    this.#writer = new JournalWriter(PROGRAM_ID);
    this.attach(engine);
  }

  endTurn(mark: PublishMark): void {
    this.#engine?.turnLog.markPublished(mark);
  }

  /** The next turn ends with a checkpoint, which begins a file. */
  beginSegment(): void {
    this.#engine?.turnLog.markCheckpoint();
  }

  /** Nothing is kept from here on, until the next segment begins. */
  lose(): void {
    this.write();
    this.#isLost = true;
    this.#skipped += 1;
  }

  /** Writes all that waits. */
  write(): void {
    const log = this.#engine?.turnLog.take() ?? null;
    if (log === null) return;
    this.#writer.append(log, 0);
    this.#writer.flush();
    for (const { segment, bytes } of this.#writer.takePieces()) {
      if (segment !== this.#segment) this.#isLost = false;
      this.#segment = segment;
      if (this.#isLost) continue;
      appendFileSync(path.join(this.folder, segmentName(segment + this.#skipped)), bytes);
    }
  }

  flush(): Promise<boolean> {
    if (this.isWhole) this.write();
    return Promise.resolve(this.isWhole);
  }

  readStats(): { readonly newest: null; readonly state: JournalState } {
    return { newest: null, state: this.state };
  }

  async stop(): Promise<void> {
    await this.replays.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
