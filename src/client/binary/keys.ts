/** Reads the keys of a frame, which are written in full or as back-references, and order ids. */
import type { AddressTexts } from './address-texts.js';
import { type ByteReader, tooLarge } from './byte-reader.js';

/** Maximum distance of a back-reference to a key. */
const KEYS_NAMED_MAX = 64;

const ORDER_ID_END = 2 ** 32;

/** Reads the keys of one frame in order. */
export class KeyReader {
  readonly #reader: ByteReader;
  readonly #addresses: AddressTexts;
  readonly #keys: string[] = [];

  constructor(reader: ByteReader, addresses: AddressTexts) {
    this.#reader = reader;
    this.#addresses = addresses;
  }

  readKey(): string {
    const ago = this.#reader.readVarint();
    if (ago === 0) {
      const key = this.#addresses.textOf(this.#reader.readAddress());
      this.#keys.push(key);
      return key;
    }
    const named = ago > KEYS_NAMED_MAX ? undefined : this.#keys.at(-ago);
    if (named === undefined) throw tooLarge();
    return named;
  }
}

/** Reads the id of an order, which counts the orders of its user. */
export function readOrderId(reader: ByteReader): number {
  const orderId = reader.readVarint();
  if (orderId >= ORDER_ID_END) throw tooLarge();
  return orderId;
}
