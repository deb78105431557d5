/**
 * The records of a transaction by its log, read apart from the service: the calls of the runtime, base64, and the few
 * bytes of a record by which it is found. Source: programs/drift/src/state/events.rs, and `Order` in state/user.rs.
 */

/** A record and the accounts by which it is found. */
export interface PlainRecord {
  /** Its place among the program's records in the transaction. */
  readonly index: number;
  /** The number of its kind. */
  readonly kind: number;
  /** Unix seconds. */
  readonly ts: number;
  /** Twice the index of its market, plus one for spot; -1 without one. */
  readonly market: number;
  /** Each key in hexadecimals, with the number of its order. */
  readonly accounts: readonly (readonly [key: string, orderId: number | null])[];
  readonly bytes: string;
}

type Head = Pick<PlainRecord, 'kind' | 'market' | 'accounts'>;

const ACTION = 'e0344347c2ed6d01';
const FILL = 2;
const TRANSFER = 20;
/** The options of an action between its market and its taker, and an order's after its number, in bytes. */
const BEFORE_TAKER = [32, 8, 8, 8, 8, 8, 8, 4, 8, 8];
const AFTER_ORDER_ID = [1, 8, 8, 8];
/** Where an order begins in its record, and its number, its market and the type of that. */
const ORDER_AT = 48;
const [ORDER_ID, ORDER_MARKET, ORDER_MARKET_TYPE] = [76, 80, 84];

/** The other records by their first bytes. */
const KINDS: Readonly<Record<string, (bytes: Buffer) => Head>> = {
  '681340385915025a': (bytes) => {
    const type = bytes[ORDER_AT + ORDER_MARKET_TYPE];
    const market = marketOf(type, bytes.readUInt16LE(ORDER_AT + ORDER_MARKET));
    return {
      kind: 4,
      market,
      accounts: [[keyAt(bytes, 16), bytes.readUInt32LE(ORDER_AT + ORDER_ID)]],
    };
  },
  '4403ff1a855b93fe': (bytes) => ({ kind: 5, market: 2 * bytes.readUInt16LE(24), accounts: [] }),
  '083b601489c9385f': (bytes) => of(6, 2 * bytes.readUInt16LE(80), keyAt(bytes, 48)),
  b4f1dacf66872c86: (bytes) => of(7, 2 * bytes.readUInt16LE(97) + 1, keyAt(bytes, 48)),
  '3944691a77c6d559': (bytes) => of(8, 2 * bytes.readUInt16LE(48), keyAt(bytes, 16)),
  '7f11006cb60de735': (bytes) => of(9, -1, keyAt(bytes, 17)),
  ecba71db2a3395f9: (bytes) => of(10, -1, keyAt(bytes, 48), keyAt(bytes, 16)),
  '476fbe76070384de': (bytes) => of(11, -1, keyAt(bytes, 48), keyAt(bytes, 16)),
  b7bacbbae1bb5f82: () => of(0, -1),
};

/** Reads the records that a program wrote in a transaction. */
export function plainRecords(program: string, lines: readonly string[]): readonly PlainRecord[] {
  const calls: string[] = [];
  const records: PlainRecord[] = [];
  for (const line of lines) {
    const [, called] = /^Program (\w+) invoke \[\d+\]$/.exec(line) ?? [];
    if (called !== undefined) calls.push(called);
    else if (/^Program \w+ (success|failed)/.test(line)) calls.pop();
    else if (calls.at(-1) === program && line.startsWith('Program data: ')) {
      const bytes = Buffer.from(line.slice('Program data: '.length), 'base64');
      const ts = Number(bytes.readBigInt64LE(8));
      records.push({ index: records.length, ts, bytes: bytes.toString('hex'), ...headOf(bytes) });
    }
  }
  return records;
}

function headOf(bytes: Buffer): Head {
  const name = bytes.toString('hex', 0, 8);
  if (name === ACTION) return actionOf(bytes);
  const read = KINDS[name];
  if (read === undefined) throw new Error(`a record began with ${name}`);
  return read(bytes);
}

function actionOf(bytes: Buffer): Head {
  const options = new Options(bytes, 21);
  options.skip(BEFORE_TAKER);
  const taker = options.readParty();
  options.skip(AFTER_ORDER_ID);
  const parties = [taker, options.readParty()].filter((party) => party !== null);
  const accounts = [...new Map(parties.toReversed())].toReversed();
  const kind = bytes[16] !== FILL ? 3 : bytes[17] === TRANSFER ? 2 : 1;
  return { kind, market: marketOf(bytes[20], bytes.readUInt16LE(18)), accounts };
}

/** Optional values, each after a byte that says whether it is there. */
class Options {
  constructor(
    readonly bytes: Buffer,
    private at: number,
  ) {}

  skip(sizes: readonly number[]): void {
    for (const size of sizes) this.#take(size);
  }

  /** An account and its order. */
  readParty(): readonly [string, number | null] | null {
    const key = this.#take(32);
    const orderId = this.#take(4);
    return key === null ? null : [key.toString('hex'), orderId?.readUInt32LE() ?? null];
  }

  #take(size: number): Buffer | null {
    const isThere = this.bytes[this.at] === 1;
    const from = this.at + 1;
    this.at = isThere ? from + size : from;
    return isThere ? this.bytes.subarray(from, this.at) : null;
  }
}

const keyAt = (bytes: Buffer, at: number): string => bytes.toString('hex', at, at + 32);

function marketOf(type: number | undefined, index: number): number {
  return 2 * index + (type === 0 ? 1 : 0);
}

function of(kind: number, market: number, ...keys: readonly string[]): Head {
  return { kind, market, accounts: [...new Set(keys)].map((key) => [key, null]) };
}
