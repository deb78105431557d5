/** Decodes records and accounts by fixed offsets, for tests. */
import { PublicKey } from '@solana/web3.js';

/** Decodes the record of a fill, field by field. */
export function readFill(bytes: Buffer) {
  let at = 21;
  const plain = (size: number): Buffer => {
    at += size;
    return bytes.subarray(at - size, at);
  };
  const option = (size: number): Buffer | undefined =>
    plain(1).readUInt8() === 0 ? undefined : plain(size);
  const u64 = (): bigint | undefined => option(8)?.readBigUInt64LE();
  const key = (): string | undefined => {
    const found = option(32);
    return found && new PublicKey(found).toBase58();
  };
  const side = () => ({
    user: key(),
    orderId: option(4)?.readUInt32LE(),
    isLong: option(1)?.readUInt8() === 0,
    base: u64(),
    filled: u64(),
    quote: u64(),
  });
  return {
    ts: Number(bytes.readBigInt64LE(8)),
    explanation: bytes.readUInt8(17),
    market: `${bytes.readUInt8(20)}/${bytes.readUInt16LE(18)}`,
    filler: key(),
    fillerReward: u64(),
    id: u64(),
    base: u64(),
    quote: u64(),
    takerFee: u64(),
    makerFee: option(8)?.readBigInt64LE(),
    referrerReward: option(4),
    surplus: option(8)?.readBigInt64LE(),
    spotFee: u64(),
    taker: side(),
    maker: side(),
    oraclePrice: plain(8).readBigInt64LE(),
  };
}

/** The order with this id in a User account; it may have ended. */
export function orderIn(data: Buffer | undefined, orderId: number | undefined) {
  for (let at = 1192; data !== undefined && at < 1192 + 32 * 96; at += 96) {
    if (data.readUInt32LE(at + 76) !== orderId) continue;
    const status = data.readUInt8(at + 82);
    return {
      base: data.readBigUInt64LE(at + 16),
      filled: data.readBigUInt64LE(at + 24),
      quote: data.readBigUInt64LE(at + 32),
      isOpen: status === 1,
    };
  }
  return undefined;
}
