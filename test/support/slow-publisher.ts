import type { MarkPublisher } from '../../src/contract/publish-mark.js';

/** Makes frames for as long as a test says. */
export class SlowPublisher implements MarkPublisher {
  isPublishing = false;
  #waiting: (() => void)[] = [];

  finishMark(): void {
    this.isPublishing = false;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  onceFinished(resume: () => void): void {
    if (this.isPublishing) this.#waiting.push(resume);
    else resume();
  }
}
