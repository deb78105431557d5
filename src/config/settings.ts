/**
 * The table of all settings: name, kind, default, range, unit and text. The reader
 * (`setting-reader.ts`), the options of the command line with their help, and the tables of
 * docs/configuration.md (`test/support/settings-document.ts`) use this table.
 *
 * For example, the setting `auditIntervalMs` has the flag `--audit-interval-ms` and the environment
 * variable `SLOTBOOK_AUDIT_INTERVAL_MS`.
 */
import { BOOK_SETTINGS } from './book-settings.js';
import { CLUSTER_SETTINGS } from './cluster-settings.js';
import { DEMO_SETTINGS } from './demo-settings.js';
import type { Setting, SettingGroup } from './setting-kinds.js';
import { STORAGE_SETTINGS } from './storage-settings.js';

/** All settings, in the order of the help and of docs/configuration.md. */
export const SETTINGS = {
  ...CLUSTER_SETTINGS,
  ...BOOK_SETTINGS,
  ...STORAGE_SETTINGS,
  ...DEMO_SETTINGS,
} as const satisfies Readonly<Record<string, Setting>>;

/** The name of a setting in the code: camelCase. */
export type SettingName = keyof typeof SETTINGS;

/** The names of the settings of some groups. */
type NameIn<Group extends SettingGroup> = {
  [Name in SettingName]: (typeof SETTINGS)[Name]['group'] extends Group ? Name : never;
}[SettingName];

/** Returns the names of the settings of some groups, in the order of the table. */
export function settingsOf<Group extends SettingGroup>(
  ...groups: readonly Group[]
): readonly NameIn<Group>[] {
  const wanted: readonly SettingGroup[] = groups;
  const names = Object.keys(SETTINGS) as NameIn<Group>[];
  return names.filter((name) => wanted.includes(SETTINGS[name].group));
}

/** Returns the flag of a setting, for example `--port`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Returns the environment variable of a setting, for example `SLOTBOOK_PORT`. */
export function environmentNameOf(name: string): string {
  return `SLOTBOOK_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Returns the text of a setting's default in the help and the documents. */
export function defaultText(setting: Setting): string {
  if (setting.absent !== undefined) return setting.absent;
  if (setting.default === null) return 'none';
  return Array.isArray(setting.default) ? setting.default.join(',') : String(setting.default);
}

/** Returns the text of a setting's range in the documents; empty without bounds. */
export function rangeText(setting: Setting): string {
  switch (setting.kind) {
    case 'integer':
    case 'number':
      return [`${setting.min} to ${setting.max}`, setting.unit].filter(Boolean).join(' ');
    case 'choice':
      return setting.choices.join(', ');
    case 'names':
    case 'keys':
    case 'networks':
    case 'sizes':
      return `at most ${setting.countMax}`;
    case 'url':
    case 'urls':
      return setting.protocols.map((protocol) => `${protocol}//`).join(', ');
    default:
      return '';
  }
}
