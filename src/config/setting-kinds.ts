/** The kinds of settings in the table of `settings.ts`, and their secrecy. */

/** The groups of settings: each command uses some of the groups. */
export type SettingGroup =
  | 'cluster'
  | 'book'
  | 'audit'
  | 'aggregator'
  | 'history'
  | 'database'
  | 'journal'
  | 'log'
  | 'core'
  | 'edge'
  | 'demo'
  | 'replay'
  | 'verify';

interface SettingBase {
  readonly group: SettingGroup;
  /** The placeholder of the value in the help. */
  readonly value: string;
  /** The purpose of the setting: a phrase without a full stop. */
  readonly text: string;
  /** The meaning of a missing value, if the default is not a value. */
  readonly absent?: string;
  /**
   * The hidden part of the value: the whole value, or the keys and user info of its addresses,
   * which every address setting hides.
   */
  readonly secret?: 'all' | 'addresses';
}

/**
 * A number within a range that includes both ends. A default of null means that the setting is
 * unset.
 */
export interface NumberSetting extends SettingBase {
  readonly kind: 'integer' | 'number';
  readonly default: number | null;
  readonly min: number;
  readonly max: number;
  readonly unit?: string;
}

/** A text, or a base58 key of 32 bytes. A default of null means that the setting is unset. */
interface TextSetting extends SettingBase {
  readonly kind: 'text' | 'key';
  readonly default: string | null;
}

/** One of several words. */
interface ChoiceSetting extends SettingBase {
  readonly kind: 'choice';
  readonly default: string | null;
  readonly choices: readonly string[];
}

/**
 * An address with one of the protocols. Its value is never shown, because it may contain an access
 * key.
 */
interface UrlSetting extends SettingBase {
  readonly kind: 'url';
  readonly default: string | null;
  readonly protocols: readonly string[];
}

/** A comma-separated list of addresses with one of the protocols, whose values are never shown. */
export interface UrlListSetting extends SettingBase {
  readonly kind: 'urls';
  readonly default: null;
  readonly protocols: readonly string[];
  readonly countMax: number;
}

/** A comma-separated list of names, base58 keys, addresses and networks, or ascending integers. */
export interface ListSetting extends SettingBase {
  readonly kind: 'names' | 'keys' | 'networks' | 'sizes';
  readonly default: readonly (string | number)[];
  readonly countMax: number;
}

/** A switch. The kind `off` disables something, and its flag is `--no-...`. */
interface SwitchSetting extends SettingBase {
  readonly kind: 'off' | 'on';
  readonly default: false;
}

/** One setting. */
export type Setting =
  | NumberSetting
  | TextSetting
  | ChoiceSetting
  | UrlSetting
  | UrlListSetting
  | ListSetting
  | SwitchSetting;

/** Returns the hidden part of a setting; null when nothing is hidden. */
export function secretOf(setting: Setting): 'all' | 'addresses' | null {
  const isAddress = setting.kind === 'url' || setting.kind === 'urls';
  return setting.secret ?? (isAddress ? 'addresses' : null);
}
