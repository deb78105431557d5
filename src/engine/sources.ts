import { BOOK_FLAGS, type BookFlags } from '../contract/book-requests.js';

/** The core's bit of binary bodies, besides those of `BOOK_FLAGS`. */
const BINARY = 8;

/** Encodes the truth values of a request for the core. */
export function optionBits(request: BookFlags & { readonly binary?: boolean | undefined }): number {
  let bits = request.binary === true ? BINARY : 0;
  for (const flag of FLAGS) if (request[flag] === true) bits |= BOOK_FLAGS[flag].bit;
  return bits;
}

const FLAGS = Object.keys(BOOK_FLAGS) as (keyof BookFlags)[];
