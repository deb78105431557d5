/** The reader's choices of presentation, which the URL and the browser keep. */
import { RESOLUTION_SECONDS_MAX, type Resolution } from '@slotbook/client';

/** The choices; texts as in the URL. */
export interface Choices {
  /** Amounts in base, or their value in quote. */
  unit: 'base' | 'quote';
  /** Times of day in UTC, or in the reader's time zone. */
  time: 'utc' | 'local';
  /** Length of a candle. */
  candle: Resolution;
  /** What the large panel shows: candles, or liquidity over time. */
  chart: 'candles' | 'liquidity';
  /** Seconds of liquidity. */
  span: '600' | '3600' | '21600' | '86400';
  /** Whether the book contains the levels of the AMM. */
  amm: 'on' | 'off';
  /** Least value of a listed trade, in quote. */
  least: '0' | '1000' | '10000' | '100000';
  /** Side of the simulated order. */
  side: 'buy' | 'sell';
  /** Amount of the simulated order in the unit, as typed; empty for a suitable one. */
  size: string;
  /** The user account, or the wallet, whose orders are marked; empty for none. */
  account: string;
}

type Listed = Exclude<keyof Choices, 'size' | 'account'>;

const RESOLUTIONS = Object.keys(RESOLUTION_SECONDS_MAX) as readonly Resolution[];

/** The values of each choice; the first one is the default. */
export const CHOICES: { readonly [Name in Listed]: readonly Choices[Name][] } = {
  unit: ['base', 'quote'],
  time: ['utc', 'local'],
  candle: RESOLUTIONS.filter((name) => name !== '1440'),
  chart: ['candles', 'liquidity'],
  span: ['3600', '600', '21600', '86400'],
  amm: ['on', 'off'],
  least: ['0', '1000', '10000', '100000'],
  side: ['buy', 'sell'],
};

/** The choices that the browser remembers for all markets. */
export const REMEMBERED = ['unit', 'time', 'candle'] as const;

const NAMES = Object.keys(CHOICES) as readonly Listed[];

/** Reads the choices: from the URL, else the remembered ones, else the defaults. */
export function readChoices(query: URLSearchParams, remembered: (name: string) => string | null) {
  const readOne = (name: Listed): string => {
    const values: readonly string[] = CHOICES[name];
    const isKept = REMEMBERED.some((one) => one === name);
    const sent = [query.get(name), isKept ? remembered(name) : null];
    return sent.find((one) => one !== null && values.includes(one)) ?? values[0] ?? '';
  };
  const size = /^\d{1,12}(\.\d{1,9})?$/.exec(query.get('size') ?? '')?.[0] ?? '';
  const account = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.exec(query.get('account') ?? '')?.[0] ?? '';
  return {
    ...Object.fromEntries(NAMES.map((name) => [name, readOne(name)])),
    size,
    account,
  } as Choices;
}

/** Writes the choices that differ from their defaults into a query. */
export function writeChoices(query: URLSearchParams, choices: Choices): void {
  for (const name of NAMES) {
    if (choices[name] !== CHOICES[name][0]) query.set(name, choices[name]);
  }
  for (const name of ['size', 'account'] as const) {
    if (choices[name] !== '') query.set(name, choices[name]);
  }
}
