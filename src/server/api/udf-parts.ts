/** Names of TradingView's UDF, the protocol of its chart library. */
import {
  RESOLUTION_NAMES,
  RESOLUTIONS,
  type Resolution,
  type ResolutionName,
  resolutionOf,
} from '../../contract/resolutions.js';

/** The name of the exchange that charts show. */
export const UDF_EXCHANGE = 'Drift';

/** A market's name of one that may have the exchange before it, as charts that were saved have it. */
export function udfMarketName(name: string): string {
  const prefix = `${UDF_EXCHANGE}:`.toUpperCase();
  return name.toUpperCase().startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** The resolution of a name that charts use: a name of the service, or with a 1 before a letter. */
export const udfResolutionOf = (name: string): Resolution =>
  resolutionOf(name.replace(/^1(?=[A-Z])/, '') as ResolutionName);

/** The names that /udf/config lists: those of the chart library. */
export const UDF_RESOLUTIONS_LISTED = RESOLUTIONS.map((name) =>
  /^[A-Z]/.test(name) ? `1${name}` : name,
);

/** The names that charts may use. */
export const UDF_RESOLUTION_NAMES = [...new Set([...RESOLUTION_NAMES, ...UDF_RESOLUTIONS_LISTED])];

/** The properties that all paths below /udf share. */
export const ofUdf = { kind: 'history', udf: true } as const;
