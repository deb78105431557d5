/** A filter of programSubscribe and getProgramAccounts. */
export interface RpcFilter {
  readonly dataSize?: number;
  /** `bytes` is base58 where no encoding is named. */
  readonly memcmp?: {
    readonly offset: number;
    readonly bytes: string;
    readonly encoding?: 'base58' | 'base64';
  };
}

/** Whether an account's bytes match the filters; a closed account matches none. */
export function matches(bytes: Buffer | null, filters: readonly RpcFilter[]): boolean {
  if (bytes === null) return false;
  return filters.every(({ dataSize, memcmp }) => {
    if (dataSize !== undefined && dataSize !== bytes.length) return false;
    if (memcmp === undefined) return true;
    const wanted = bytesOf(memcmp);
    return bytes.subarray(memcmp.offset, memcmp.offset + wanted.length).equals(wanted);
  });
}

/** The bytes that a filter compares with. */
export function bytesOf({ bytes, encoding }: NonNullable<RpcFilter['memcmp']>): Buffer {
  return encoding === 'base64' ? Buffer.from(bytes, 'base64') : base58(bytes);
}

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const known = new Map<string, Buffer>();

function base58(text: string): Buffer {
  const decoded = known.get(text) ?? decode(text);
  known.set(text, decoded);
  return decoded;
}

function decode(text: string): Buffer {
  let value = 0n;
  for (const char of text) value = value * 58n + BigInt(ALPHABET.indexOf(char));
  const hex = value === 0n ? '' : value.toString(16);
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  const digits = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.alloc(zeros), digits]);
}
