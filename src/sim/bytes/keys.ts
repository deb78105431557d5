import { PublicKey } from '@solana/web3.js';
import { u16, u32 } from './account-bytes.js';

/** The program's id on mainnet and devnet, also the owner of accounts on the local chain. */
export const PROGRAM_ID = 'dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH';

const PROGRAM = new PublicKey(PROGRAM_ID);

/**
 * The program's addresses, derived from its seeds. Integers in seeds are little endian.
 *
 * Source: programs/drift/src/instructions (the `seeds` of each account context).
 */
export const address = {
  state: (): string => deriveAddress([Buffer.from('drift_state')]),
  signer: (): string => deriveAddress([Buffer.from('drift_signer')]),
  user: (user: { readonly authority: string; readonly subAccountId: number }): string =>
    deriveAddress([
      Buffer.from('user'),
      new PublicKey(user.authority).toBytes(),
      u16(user.subAccountId),
    ]),
  perpMarket: (index: number): string => deriveAddress([Buffer.from('perp_market'), u16(index)]),
  spotMarket: (index: number): string => deriveAddress([Buffer.from('spot_market'), u16(index)]),
  spotMarketVault: (index: number): string =>
    deriveAddress([Buffer.from('spot_market_vault'), u16(index)]),
  insuranceFundVault: (index: number): string =>
    deriveAddress([Buffer.from('insurance_fund_vault'), u16(index)]),
  pythLazerOracle: (feedId: number): string =>
    deriveAddress([Buffer.from('pyth_lazer'), u32(feedId)]),
} as const;

/** 32 bytes as a base58 key. */
export function keyOf(bytes: Uint8Array): string {
  return new PublicKey(bytes).toBase58();
}

function deriveAddress(seeds: Uint8Array[]): string {
  return PublicKey.findProgramAddressSync(seeds, PROGRAM)[0].toBase58();
}
