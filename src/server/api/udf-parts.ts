/** Names in TradingView's UDF, the protocol of its chart library. */
import {
  RESOLUTION_NAMES,
  RESOLUTIONS,
  type Resolution,
  type ResolutionName,
  resolutionOf,
} from '../../contract/resolutions.js';

/** The name of the exchange that charts show. */
export const UDF_EXCHANGE = 'Drift';

/** Returns the market name without the exchange prefix, which saved charts may contain. */
export function udfMarketName(name: string): string {
  const prefix = `${UDF_EXCHANGE}:`.toUpperCase();
  return name.toUpperCase().startsWith(prefix) ? name.slice(prefix.length) : name;
}

/**
 * Returns the resolution for a name that charts use: the service's own name, or that name after a 1
 * when it starts with a letter.
 */
export const udfResolutionOf = (name: string): Resolution =>
  resolutionOf(name.replace(/^1(?=[A-Z])/, '') as ResolutionName);

/** The resolution names that /udf/config lists, in the chart library's notation. */
export const UDF_RESOLUTIONS_LISTED = RESOLUTIONS.map((name) =>
  /^[A-Z]/.test(name) ? `1${name}` : name,
);

/** The names that charts may use. */
export const UDF_RESOLUTION_NAMES = [...new Set([...RESOLUTION_NAMES, ...UDF_RESOLUTIONS_LISTED])];

/** The properties that all paths below /udf share. */
export const ofUdf = { kind: 'history', udf: true } as const;
