/** `slotbook check URL`: the settings of a service that would use the node, and the report. */
import { WATCH_S_DEFAULT, WATCH_S_MAX } from '../check/limits.js';
import { checkNode } from '../check/node-check.js';
import { reportLines } from '../check/report.js';
import { ConfigReader } from '../config/config.js';
import { ConfigError } from '../config/config-error.js';
import type { Flags } from '../config/setting-reader.js';
import { resultText } from '../contract/command-result.js';
import { FlagReader } from '../contract/flag-reader.js';
import { systemTimers } from '../rpc/timers.js';

/** One run. */
interface CheckRun {
  readonly url: string;
  readonly flags: Flags;
  readonly output: { write(text: string): unknown };
}

/**
 * Checks a node; resolves with true when it is good enough. Rejects with a ConfigError for an
 * invalid flag.
 */
export async function runCheck({ url, flags, output }: CheckRun): Promise<boolean> {
  const { seconds, json, ...settings } = flags;
  const text = String(seconds ?? WATCH_S_DEFAULT);
  const watchSeconds = secondsReader.readWhole('seconds', text, [1, WATCH_S_MAX]);
  const config = new ConfigReader({ ...settings, rpcUrl: url }).readService();
  const report = await checkNode({ config, watchSeconds, timers: systemTimers });
  const result = { lines: reportLines(report), body: report };
  output.write(resultText(result, json === true));
  return report.isGood;
}

/** Reads `--seconds` of a command. */
export const secondsReader = new FlagReader(
  (message) => new ConfigError('INVALID_SETTING', message, '--seconds'),
);
