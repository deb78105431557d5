/** Reads settings from flags and environment by the table of settings. */
import { isIPv4, isIPv6 } from 'node:net';
import { findAddress } from '../contract/flag-reader.js';
import { invalid, notUrl, outOfRange } from './config-error.js';
import { LIMITS } from './limits.js';
import { isPublicKey } from './public-key.js';
import { secrets } from './secrets.js';
import {
  type ListSetting,
  type NumberSetting,
  type Setting,
  secretOf,
  type UrlListSetting,
} from './setting-kinds.js';
import { environmentNameOf, SETTINGS, type SettingName } from './settings.js';

/**
 * The flags by their camelCase names, as text. `--no-x` is parsed as `x: false`; without the flag,
 * `x` is true.
 */
export type Flags = Readonly<Record<string, string | boolean | undefined>>;

/** The environment of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface ValueByKind {
  readonly integer: number;
  readonly number: number;
  readonly text: string;
  readonly key: string;
  readonly url: string;
  readonly urls: readonly string[];
  readonly names: readonly string[];
  readonly keys: readonly string[];
  readonly networks: readonly string[];
  readonly sizes: readonly number[];
  readonly off: boolean;
  readonly on: boolean;
}

type ValueOfSetting<Given extends Setting> =
  | (Given extends { readonly choices: readonly (infer Choice)[] }
      ? Choice
      : Given['kind'] extends keyof ValueByKind
        ? ValueByKind[Given['kind']]
        : never)
  | (Given['default'] extends null ? undefined : never);

/** The type of a setting's value; includes undefined if the setting has no default. */
type SettingValue<Name extends SettingName> = ValueOfSetting<(typeof SETTINGS)[Name]>;

/** The values of some settings by their names. */
export type SettingValues<Name extends SettingName> = {
  readonly [Each in Name]: SettingValue<Each>;
};

/** Reads settings. Each method throws a ConfigError that names the setting. */
export class SettingReader {
  readonly #flags: Flags;
  readonly #environment: Environment;

  constructor(flags: Flags, environment: Environment) {
    this.#flags = flags;
    this.#environment = environment;
    this.#collectSecrets();
  }

  /** Returns whether a flag or the environment sets the setting. */
  isGiven(name: SettingName): boolean {
    return this.#textOf(name) !== undefined;
  }

  /** Reads one setting: the flag, otherwise the environment, otherwise the default. */
  read<Name extends SettingName>(name: Name): SettingValue<Name> {
    const setting: Setting = SETTINGS[name];
    const text = this.#textOf(name);
    const value =
      text === undefined ? (setting.default ?? undefined) : parseSetting(name, setting, text);
    return value as SettingValue<Name>;
  }

  readAll<Name extends SettingName>(...names: readonly Name[]): SettingValues<Name> {
    return Object.fromEntries(names.map((name) => [name, this.read(name)])) as SettingValues<Name>;
  }

  /**
   * Collects secrets of all settings, including those that the command does not use, because other
   * settings' texts may contain them.
   */
  #collectSecrets(): void {
    for (const name of Object.keys(SETTINGS) as SettingName[]) {
      const text = this.#textOf(name);
      const secret = secretOf(SETTINGS[name]);
      if (text === undefined || secret === null) continue;
      if (secret === 'all') secrets.addSecret(text);
      else for (const address of text.split(',')) secrets.addAddress(addressIn(address));
    }
  }

  /** Returns the text of a setting; undefined when it is unset or empty. */
  #textOf(name: SettingName): string | undefined {
    const { kind } = SETTINGS[name];
    // The flag of an `off` switch is inverted: `history: false` sets `noHistory`.
    if (kind === 'off' && String(this.#flags[positiveName(name)]) === 'false') return 'true';
    if (kind === 'on' && String(this.#flags[name]) === 'true') return 'true';
    const flag = kind === 'off' || kind === 'on' ? undefined : this.#flags[name];
    const text = typeof flag === 'string' ? flag : this.#environment[environmentNameOf(name)];
    return text === undefined || text === '' ? undefined : text;
  }
}

/** The address without its source kind. */
function addressIn(text: string): string {
  return text.trim().replace(/^(rpc|grpc):(?=https?:)/, '');
}

/**
 * Returns the name without `no`, because the command line parses `--no-history` as `history:
 * false`.
 */
function positiveName(name: string): string {
  return name.replace(/^no([A-Z])/, (_, letter: string) => letter.toLowerCase());
}

function parseSetting(name: SettingName, setting: Setting, text: string): unknown {
  switch (setting.kind) {
    case 'integer':
    case 'number':
      return parseNumber(name, setting, text);
    case 'text':
      return text;
    case 'key':
      return parseKey(name, text, 'must be a base58 key of 32 bytes');
    case 'url':
      return parseUrl(name, text, setting.protocols);
    case 'urls':
      return parseList(name, setting, text).map((url) => parseUrl(name, url, setting.protocols));
    case 'choice':
      if (setting.choices.includes(text)) return text;
      throw invalid(name, text, `must be one of ${setting.choices.join(', ')}`);
    case 'names':
      return parseList(name, setting, text);
    case 'keys':
      return parseList(name, setting, text).map((key) =>
        parseKey(name, key, 'must be base58 keys of 32 bytes'),
      );
    case 'networks':
      return parseList(name, setting, text).map((network) => parseNetwork(name, network));
    case 'sizes':
      return parseSizes(name, parseList(name, setting, text));
    case 'off':
    case 'on':
      if (text === 'true' || text === 'false') return text === 'true';
      throw invalid(name, text, 'must be true or false');
  }
}

function parseNumber(name: string, { kind, min, max }: NumberSetting, text: string): number {
  const [pattern, rule] =
    kind === 'integer' ? [/^-?\d+$/, 'a whole number'] : [/^-?\d+(\.\d+)?$/, 'a number'];
  if (!pattern.test(text)) throw invalid(name, text, `must be ${rule}`);
  const value = Number(text);
  if (value >= min && value <= max) return value;
  throw outOfRange(name, text, `${min} to ${max}`);
}

function parseKey(name: string, text: string, rule: string): string {
  if (isPublicKey(text)) return text;
  throw invalid(name, text, rule);
}

/**
 * Parses an address, or a network as address and bits. An IPv4 address within IPv6 must be written
 * as IPv4.
 */
function parseNetwork(name: string, text: string): string {
  const [, address = '', bits = '0'] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const isMapped = /^::ffff:|\./i.test(address);
  if (isIPv4(address) && Number(bits) <= 32) return text;
  if (isIPv6(address) && !isMapped && Number(bits) <= 128) return text;
  throw invalid(name, text, 'must be addresses or networks such as 10.0.0.0/8 and fd00::/8');
}

function parseUrl(name: string, text: string, protocols: readonly string[]): string {
  const url = findAddress(text, protocols);
  if (url !== undefined) return url.href;
  throw notUrl(name, protocols);
}

function parseList(
  name: string,
  { countMax }: ListSetting | UrlListSetting,
  text: string,
): readonly string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  const given = entries.filter((entry) => entry !== '');
  if (given.length <= countMax) return given;
  throw outOfRange(name, given.length, `at most ${countMax}`);
}

function parseSizes(name: string, texts: readonly string[]): readonly number[] {
  const { aggregatorSizeMax: max } = LIMITS;
  const sizes = texts.map((text) => {
    const size = /^\d{1,15}$/.test(text) ? Number(text) : 0;
    if (size >= 1 && size <= max) return size;
    throw outOfRange(name, text, `whole numbers of 1 to ${max}`);
  });
  const isAscending = sizes.every((size, index) => index === 0 || size > (sizes[index - 1] ?? 0));
  if (isAscending) return sizes;
  throw outOfRange(name, sizes.join(','), 'in ascending order');
}
