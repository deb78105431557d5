import { PublicKey } from '@solana/web3.js';
import { PROGRAM_IDS, type ProgramName } from '../../contract/program.js';
import { u16, u32 } from './account-bytes.js';

/** Drift v2's id on mainnet and devnet, which also owns the accounts on the local chain. */
export const PROGRAM_ID: string = PROGRAM_IDS.drift;

/** The addresses of each program, by its name. */
export const addresses = {
  drift: addressesOf('drift'),
  velocity: addressesOf('velocity'),
} as const;

/** The addresses of Drift v2. */
export const address = addresses.drift;

/**
 * Derives the addresses of a program from their seeds. Integers in seeds are little-endian.
 *
 * Source: programs/drift/src/instructions (the `seeds` of each account context), and likewise of Velocity.
 */
function addressesOf(name: ProgramName) {
  const program = new PublicKey(PROGRAM_IDS[name]);
  const deriveAddress = (seeds: Uint8Array[]): string =>
    PublicKey.findProgramAddressSync(seeds, program)[0].toBase58();
  return {
    state: (): string => deriveAddress([Buffer.from(`${name}_state`)]),
    signer: (): string => deriveAddress([Buffer.from(`${name}_signer`)]),
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
  };
}

/** 32 bytes as a base58 key. */
export function keyOf(bytes: Uint8Array): string {
  return new PublicKey(bytes).toBase58();
}
