/** The tables of settings in docs/configuration.md and configuration-parts.md, written from the table of settings. */
import type { SettingGroup } from '../../src/config/setting-kinds.js';
import {
  defaultText,
  environmentNameOf,
  flagOf,
  rangeText,
  SETTINGS,
  settingsOf,
} from '../../src/config/settings.js';

/** A Markdown table of the settings of some groups. */
function settingsTable(groups: readonly SettingGroup[]): string {
  const rows = settingsOf(...groups).map((name) => {
    const setting = SETTINGS[name];
    const cells = [`\`${flagOf(name)}\``, `\`${environmentNameOf(name)}\``, defaultText(setting)];
    return `| ${[...cells, rangeText(setting), setting.text].join(' | ')} |`;
  });
  return [
    '| Flag | Environment | Default | Range | Meaning |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/**
 * Returns a document with each of its tables generated from the settings. A table lies between
 * `<!-- settings: GROUP GROUP -->` and `<!-- settings end -->`.
 */
export function withSettingsTables(document: string): string {
  const pattern = /(<!-- settings: ([a-z ]+) -->\n)[\s\S]*?(<!-- settings end -->)/g;
  return document.replace(pattern, (_, begin: string, groups: string, end: string) => {
    return `${begin}${settingsTable(groups.split(' ') as SettingGroup[])}\n${end}`;
  });
}
