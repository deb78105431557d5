/** `slotbook shadow`, with the book of a chain where a node is named. */
import { ConfigReader } from '../config/config.js';
import type { Flags } from '../config/setting-reader.js';
import type { Output } from '../follow/terminal.js';
import { shadowServer } from '../shadow/shadow.js';
import type { ShadowFlags } from '../shadow/shadow-options.js';
import { withChainBook } from './start-service.js';

/** Compares two servers; resolves with true when no level of slotbook was wrong by the chain. */
export async function runShadow(
  flags: Flags & ShadowFlags,
  run: { readonly output: Output; readonly stop: AbortSignal },
): Promise<boolean> {
  const reader = new ConfigReader(flags);
  if (!reader.hasCluster()) return shadowServer({ flags, ...run, chain: null });
  return withChainBook(reader.readVerify(), (chain) => shadowServer({ flags, ...run, chain }));
}
