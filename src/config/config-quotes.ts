/** The settings of indicative quotes: who may send them, and what they may do to the touch. */
import { invalid } from './config-error.js';
import { isPublicKey } from './public-key.js';
import type { SettingReader } from './setting-reader.js';

const INDICATIVE_POLICIES = ['join', 'improve'] as const;

/** What indicative quotes may do to the touch. */
export type IndicativePolicy = (typeof INDICATIVE_POLICIES)[number];

/** As the incumbent shows them: makers' quotes join the touch and do not improve it. */
export const INDICATIVE_POLICY_DEFAULT: IndicativePolicy = 'join';

/** The settings of indicative quotes. */
export interface QuotesConfig {
  /** Keys (base58) of those who may send indicative quotes; empty means nobody. */
  readonly quoteMakers: readonly string[];
  /** Whether indicative quotes may be better than everything else, or only join it. */
  readonly indicativePolicy: IndicativePolicy;
}

/** Reads and checks them. */
export function readQuotesConfig(reader: SettingReader): QuotesConfig {
  const quoteMakers = reader.names('quoteMakers');
  const wrong = quoteMakers.find((key) => !isPublicKey(key));
  if (wrong !== undefined) throw invalid('quoteMakers', wrong, 'must be base58 keys of 32 bytes');
  const text = reader.text('indicativePolicy') ?? INDICATIVE_POLICY_DEFAULT;
  const indicativePolicy = INDICATIVE_POLICIES.find((known) => known === text);
  if (indicativePolicy !== undefined) return { quoteMakers, indicativePolicy };
  throw invalid('indicativePolicy', text, `must be one of ${INDICATIVE_POLICIES.join(', ')}`);
}
