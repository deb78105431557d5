/** The kinds of settings in the table of `settings.ts`, and their secrecy. */

/** Groups of settings: each command uses some of them. */
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
  /** What the setting does: a phrase without a full stop. */
  readonly text: string;
  /** The meaning of a missing value, if the default is not a value. */
  readonly absent?: string;
  /**
   * The hidden part of the value: all of it, or the keys and user info of its addresses, which
   * every address hides.
   */
  readonly secret?: 'all' | 'addresses';
}

/** A number within a range, both ends included. A default of null means unset. */
export interface NumberSetting extends SettingBase {
  readonly kind: 'integer' | 'number';
  readonly default: number | null;
  readonly min: number;
  readonly max: number;
  readonly unit?: string;
}

/** A text, or a base58 key of 32 bytes. A default of null means unset. */
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

/** An address of one of the protocols. Its value is never shown, because it may contain an access key. */
interface UrlSetting extends SettingBase {
  readonly kind: 'url';
  readonly default: string | null;
  readonly protocols: readonly string[];
}

/** A comma-separated list of addresses of one of the protocols, never shown likewise. */
export interface UrlListSetting extends SettingBase {
  readonly kind: 'urls';
  readonly default: null;
  readonly protocols: readonly string[];
  readonly countMax: number;
}

/** A comma-separated list of names, base58 keys, addresses and networks, or ascending whole numbers. */
export interface ListSetting extends SettingBase {
  readonly kind: 'names' | 'keys' | 'networks' | 'sizes';
  readonly default: readonly (string | number)[];
  readonly countMax: number;
}

/** A switch: kind `off` disables something, and its flag is `--no-...`. */
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

/** The hidden part of a setting; null for none. */
export function secretOf(setting: Setting): 'all' | 'addresses' | null {
  const isAddress = setting.kind === 'url' || setting.kind === 'urls';
  return setting.secret ?? (isAddress ? 'addresses' : null);
}
