/** The kinds of settings of which the table in `settings.ts` is made, and what of them is secret. */

/** What a setting belongs to: each command takes some of the groups. */
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
  /** The word that stands for the value in the help. */
  readonly value: string;
  /** What the setting does: a phrase without a full stop. */
  readonly text: string;
  /** What a missing value means, where the default cannot be written as a value. */
  readonly absent?: string;
  /** What of the value is never shown: all of it, or the keys and user info of its addresses, as of every address. */
  readonly secret?: 'all' | 'addresses';
}

/** A number within a range, both ends included. A default of null means not set. */
export interface NumberSetting extends SettingBase {
  readonly kind: 'integer' | 'number';
  readonly default: number | null;
  readonly min: number;
  readonly max: number;
  readonly unit?: string;
}

/** A text, or a base58 key of 32 bytes. A default of null means not set. */
export interface TextSetting extends SettingBase {
  readonly kind: 'text' | 'key';
  readonly default: string | null;
}

/** One of a few words. */
export interface ChoiceSetting extends SettingBase {
  readonly kind: 'choice';
  readonly default: string;
  readonly choices: readonly string[];
}

/** An address of one of the protocols. Its value is never repeated, because it may carry an access key. */
export interface UrlSetting extends SettingBase {
  readonly kind: 'url';
  readonly default: string | null;
  readonly protocols: readonly string[];
}

/** A comma-separated list of addresses of one of the protocols, never repeated likewise. */
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

/** A switch: one of the kind `off` turns something off, and its flag is `--no-...`. */
export interface SwitchSetting extends SettingBase {
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

/** What of a setting is never shown; null where nothing is secret. */
export function secretOf(setting: Setting): 'all' | 'addresses' | null {
  const isAddress = setting.kind === 'url' || setting.kind === 'urls';
  return setting.secret ?? (isAddress ? 'addresses' : null);
}
