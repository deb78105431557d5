import type { Read } from '../fields.js';
import { TAGGED_ANSWERS_MAX } from '../limits.js';

/** An answer that the service knows by a tag, and who read it. */
export interface TaggedAnswer<T> {
  readonly tag: string;
  readonly value: T;
  readonly read: Read<T>;
}

/** The last answers by URL, so that what has not changed is neither sent nor read again. */
export class TaggedAnswers {
  readonly #answers = new Map<string, TaggedAnswer<unknown>>();

  /** The answer that this reader read; it is the same object each time. */
  get<T>(url: string, read: Read<T>): TaggedAnswer<T> | undefined {
    const found = this.#answers.get(url);
    // Equal readers mean equal types.
    return found?.read === read ? (found as TaggedAnswer<T>) : undefined;
  }

  set<T>(url: string, answer: TaggedAnswer<T>): void {
    this.#answers.delete(url);
    this.#answers.set(url, answer as TaggedAnswer<unknown>);
    if (this.#answers.size <= TAGGED_ANSWERS_MAX) return;
    for (const [oldest] of this.#answers) return void this.#answers.delete(oldest);
  }
}
