/**
 * Caches the last responses by URL with their tags, so that unchanged ones are neither sent nor
 * parsed again.
 */
import type { Read } from '../fields.js';
import { TAGGED_RESPONSES_MAX } from '../limits.js';

interface TaggedResponse<T> {
  readonly value: T;
  readonly read: Read<T>;
  /** Of a request that names the tag. */
  readonly headers: Record<string, string>;
}

/** Responses that have a tag, up to a number. */
export class TaggedResponses {
  readonly #responses = new Map<string, TaggedResponse<unknown>>();

  /** The response that this reader has read; it is the same object each time. */
  findResponse<T>(url: string, read: Read<T>): TaggedResponse<T> | undefined {
    const found = this.#responses.get(url);
    // Equal readers imply equal types.
    return found?.read === read ? (found as TaggedResponse<T>) : undefined;
  }

  /** Caches a tagged response, and evicts the oldest beyond the limit. */
  keepResponse<T>(
    url: string,
    {
      value,
      read,
      tag,
    }: { readonly value: T; readonly read: Read<T>; readonly tag: string | null },
  ): void {
    if (tag === null) return;
    this.#responses.delete(url);
    this.#responses.set(url, { value, read, headers: { 'If-None-Match': tag } });
    const [oldest] = this.#responses.keys();
    if (this.#responses.size > TAGGED_RESPONSES_MAX) this.#responses.delete(oldest as string);
  }
}
