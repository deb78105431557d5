/** How one setting is read from flags and environment, whatever it is about. */
import { environmentNameOf, invalid, notUrl, outOfRange } from './config-error.js';
import { LIMITS } from './limits.js';

/** Flags by their camelCase name, as text; `--no-x` is false, and true when it is not given. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>;

/** The environment of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What a number may be, both ends included. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Reads settings by their camelCase name. Each method throws a ConfigError that names the setting. */
export class SettingReader {
  constructor(
    private readonly flags: Flags,
    private readonly environment: Environment,
  ) {}

  /** A comma-separated list; empty when it is not given. */
  names(key: string): readonly string[] {
    const text = this.text(key) ?? '';
    const names = text.split(',').map((name) => name.trim());
    const given = names.filter((name) => name !== '');
    if (given.length <= LIMITS.marketFilterMax) return given;
    throw outOfRange(key, given.length, `at most ${LIMITS.marketFilterMax} names`);
  }

  /** A whole number within the range. */
  integer(key: string, fallback: number, range: Range): number {
    const text = this.text(key);
    if (text === undefined) return fallback;
    if (!/^-?\d+$/.test(text)) throw invalid(key, text, 'must be a whole number');
    return this.number(key, fallback, range);
  }

  /** A decimal number within the range. */
  number(key: string, fallback: number, range: Range): number {
    const text = this.text(key);
    if (text === undefined) return fallback;
    if (!/^-?\d+(\.\d+)?$/.test(text)) throw invalid(key, text, 'must be a number');
    const value = Number(text);
    if (value >= range.min && value <= range.max) return value;
    throw outOfRange(key, text, `${range.min} to ${range.max}`);
  }

  /** An address of one of the protocols; the text is never repeated. */
  url(key: string, text: string, protocols: readonly string[]): URL {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url !== undefined && protocols.includes(url.protocol)) return url;
    throw notUrl(key, protocols);
  }

  /** The text of a setting; undefined when it is not given or empty. */
  text(key: string): string | undefined {
    const flag = this.flags[key];
    if (flag === false) return 'false';
    const value =
      flag === undefined || flag === true ? this.environment[environmentNameOf(key)] : flag;
    return value === undefined || value === '' ? undefined : value;
  }
}
