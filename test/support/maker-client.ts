import { createPrivateKey, sign } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import { Probe, type ProbeOptions } from './socket-scene.js';

/** A key that signs, made from a seed of one repeated byte. */
export function makerKey(byte: number): Keypair {
  return Keypair.fromSeed(new Uint8Array(32).fill(byte));
}

/** The base64 of a signature of a text. */
export function signed(keypair: Keypair, text: string): string {
  const d = Buffer.from(keypair.secretKey.subarray(0, 32)).toString('base64url');
  const x = Buffer.from(keypair.publicKey.toBytes()).toString('base64url');
  const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' });
  return sign(null, Buffer.from(text), key).toString('base64');
}

/** A socket of a maker that has been challenged. */
export async function challenged(
  url: string,
  keypair: Keypair,
  options: ProbeOptions = {},
): Promise<{ readonly probe: Probe; readonly nonce: string }> {
  const probe = await Probe.open(`${url}?pubkey=${keypair.publicKey.toBase58()}`, options);
  const [challenge] = (await probe.hear(1)) as { nonce: string }[];
  return { probe, nonce: challenge?.nonce ?? '' };
}

/** A socket of a maker that has signed. */
export async function makerProbe(
  url: string,
  keypair: Keypair,
  options: ProbeOptions = {},
): Promise<Probe> {
  const { probe, nonce } = await challenged(url, keypair, options);
  const pubkey = keypair.publicKey.toBase58();
  probe.send({ pubkey, signature: signed(keypair, nonce) });
  const [, answer] = (await probe.hear(2)) as { message?: string }[];
  if (answer?.message !== 'Authenticated') throw new Error(`answer was ${JSON.stringify(answer)}`);
  return probe;
}

/** A message as the senders in use write it: texts, and one market. */
export function quotesOf(
  marketIndex: number,
  ...quotes: readonly {
    readonly bid?: readonly [price: number, size: number] | null;
    readonly ask?: readonly [price: number, size: number] | null;
    readonly isOracleOffset?: boolean;
  }[]
): object {
  return {
    market_index: marketIndex,
    market_type: 'perp',
    quotes: quotes.map(({ bid = null, ask = null, isOracleOffset = false }) => ({
      bid_price: bid === null ? null : String(bid[0]),
      ask_price: ask === null ? null : String(ask[0]),
      bid_size: bid === null ? null : String(bid[1]),
      ask_size: ask === null ? null : String(ask[1]),
      is_oracle_offset: isOracleOffset,
    })),
  };
}
