/**
 * Caches the last responses by URL with their ETags, so that unchanged responses are neither sent
 * nor parsed again.
 */
import type { Read } from '../fields.js';
import { TAGGED_RESPONSES_MAX } from '../limits.js';

interface TaggedResponse<T> {
  readonly value: T;
  readonly read: Read<T>;
  /** Of a request that names the tag. */
  readonly headers: Record<string, string>;
}

/** A bounded cache of responses that have a tag. */
export class TaggedResponses {
  readonly #responses = new Map<string, TaggedResponse<unknown>>();

  /** Returns the cached response that this reader has read: the same object each time. */
  findResponse<T>(url: string, read: Read<T>): TaggedResponse<T> | undefined {
    const found = this.#responses.get(url);
    // Equal readers imply equal types.
    return found?.read === read ? (found as TaggedResponse<T>) : undefined;
  }

  /** Caches a response with its tag, and evicts the oldest one beyond the limit. */
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
