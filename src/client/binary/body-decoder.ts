/** Decodes the binary bodies of /l2 and /l3 to the objects of their JSON bodies. */
import type { Fetch } from '../environment.js';
import type { Message } from '../fields.js';
import { AddressTexts } from './address-texts.js';
import { ByteReader, tooLarge } from './byte-reader.js';
import { type Level, readSides } from './levels.js';
import { OrderReader } from './orders.js';

/** The media type of a binary body: send it as Accept. */
export const BYTES_TYPE = 'application/vnd.slotbook';

/** Version 1 and the kind of the body; the lowest two bits are the state. */
const FIRST_BYTE = 0x9c;
const LEVELS = 0;
const ORDERS = 1;
const UNIT_MAX = 2 ** 32 - 1;

/**
 * Decodes the binary body of /l2 or /l3 to the result of `JSON.parse` for the JSON body. Throws
 * RangeError for an invalid body.
 *
 * @example
 * const response = await fetch(`${url}/l2?marketName=SOL-PERP`, { headers: { Accept: BYTES_TYPE }
 * });
 * const { bids, asks } = decodeBody(new Uint8Array(await response.arrayBuffer()));
 */
export function decodeBody(bytes: Uint8Array): Message {
  const reader = new ByteReader(bytes);
  const first = reader.readByte();
  if ((first & 0xfc) !== FIRST_BYTE) {
    throw new RangeError(`a body begins with ${first}, which is not version 1 of docs/binary.md`);
  }
  const rows = reader.readByte();
  const priceUnit = reader.readVarint();
  const sizeUnit = reader.readVarint();
  for (const unit of [priceUnit, sizeUnit]) if (unit < 1 || unit > UNIT_MAX) throw tooLarge();
  const slot = reader.readVarint();
  const units = { priceUnit, sizeUnit };
  if (rows === LEVELS) {
    const [bids, asks] = readSides(reader, units);
    return { bids: bids.map(levelObject), asks: asks.map(levelObject), ...reader.readObject() };
  }
  if (rows !== ORDERS) throw new RangeError(`the rows of a body are of the kind ${rows}`);
  // The cache is bounded only by the body, which is as large as requested.
  const addresses = new AddressTexts();
  const orders = new OrderReader(reader, { ...units, slot, ordersMax: bytes.length, addresses });
  return { bids: orders.readList(), asks: orders.readList(), ...reader.readObject() };
}

const levelObject = ([price, size, sources]: Level) => ({ price, size, sources });

/**
 * Returns a `fetch` for an `HttpClient`, which then reads /l2 and /l3 in binary from services that
 * support it. Binary bodies have fewer bytes but need no less work. `fetch` is the wrapped
 * function, by default the global one.
 *
 * @example
 * const http = new HttpClient({ url: 'http://127.0.0.1:8080', fetch: binaryFetch() });
 */
export function binaryFetch(given: Fetch = (url, init) => fetch(url, init)): Fetch {
  return async (url, init) => {
    const headers = { ...init.headers, Accept: `${BYTES_TYPE}, application/json;q=0.9` };
    const response = await given(url, { ...init, headers });
    if (response.headers.get('Content-Type') !== BYTES_TYPE || response.status !== 200) {
      return response;
    }
    const body = decodeBody(new Uint8Array(await response.arrayBuffer()));
    const { status, headers: received } = response;
    return new Response(JSON.stringify(body), { status, headers: received });
  };
}
