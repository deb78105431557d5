/**
 * Reads a workload file of `generate.mjs`: the load, then the events that follow it.
 *
 * Accounts stay where they are in the file's bytes; only their places are noted.
 */
import { readFileSync } from 'node:fs';

const MAGIC = 'SBWL0001';
const ACCOUNT = 1;
const ORACLE = 2;
const SLOT = 3;

/**
 * The records of a workload: `load` holds the accounts and the first oracle of each market,
 * `events` the later changes. Numbers fit a double: prices and slots of a workload are small.
 */
export function readWorkload(path) {
  const bytes = readFileSync(path);
  const magic = bytes.toString('latin1', 0, MAGIC.length);
  if (magic !== MAGIC) throw new Error(`magic of ${path} was ${magic}, must be ${MAGIC}`);
  const headerLength = bytes.readUInt32LE(8);
  const config = JSON.parse(bytes.toString('utf8', 12, 12 + headerLength));
  const records = readRecords(bytes, 12 + headerLength);
  const loadCount = config.users + config.markets;
  return { config, load: records.slice(0, loadCount), events: records.slice(loadCount) };
}

function readRecords(bytes, start) {
  const records = [];
  let at = start;
  while (at < bytes.length) {
    const { record, next } = readRecord(bytes, at);
    records.push(record);
    at = next;
  }
  return records;
}

function readRecord(bytes, at) {
  const kind = bytes[at];
  if (kind === ACCOUNT) {
    const length = bytes.readUInt32LE(at + 41);
    const start = at + 45;
    const account = {
      kind: 'account',
      key: bytes.subarray(at + 9, at + 41),
      data: bytes.subarray(start, start + length),
    };
    return { record: account, next: start + length };
  }
  if (kind === ORACLE) {
    const oracle = {
      kind: 'oracle',
      market: bytes.readUInt16LE(at + 1),
      price: Number(bytes.readBigInt64LE(at + 3)),
      slot: Number(bytes.readBigUInt64LE(at + 11)),
    };
    return { record: oracle, next: at + 19 };
  }
  if (kind !== SLOT) throw new Error(`record kind was ${kind} at byte ${at}, must be 1 to 3`);
  return { record: { kind: 'slot', slot: Number(bytes.readBigUInt64LE(at + 1)) }, next: at + 17 };
}
