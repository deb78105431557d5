/**
 * `slotbook sources`: shows the merged feeds of a running service and their lag, as a live table.
 *
 * This module uses the client library, and imports nothing of the service.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ClientError } from '../client/error.js';
import type { ServiceStatus } from '../client/generated/service.js';
import { HttpClient } from '../client/http/client.js';
import { resultText } from '../contract/command-result.js';
import { type Output, overwriteScreen } from '../follow/terminal.js';
import { READ_INTERVAL_MS, READ_MS_MAX } from './limits.js';
import { statusLines } from './table.js';

/** Flags from the command line. */
export interface SourcesFlags {
  readonly plain?: boolean;
  readonly json?: boolean;
}

/** One run. */
interface SourcesRun {
  readonly url: string;
  readonly flags: SourcesFlags;
  readonly output: Output;
  /** Ends the run. */
  readonly stop: AbortSignal;
}

/**
 * Draws the table until `stop` is aborted; draws it once if the output is not a terminal, or the
 * service merges no sources. Returns whether all sources were trusted at the end.
 *
 * # Errors
 *
 * Throws a ClientError when the first reading fails.
 */
export async function showSources({ url, flags, output, stop }: SourcesRun): Promise<boolean> {
  const service = new HttpClient({ url, retriesMax: 0, timeoutMs: READ_MS_MAX });
  let status = await service.status({ signal: stop });
  if (flags.json || flags.plain || output.isTTY !== true || status.sources === undefined) {
    const { state, slot, reason, node, sources = [] } = status;
    const body = { state, slot, reason, node, sources };
    output.write(resultText({ lines: statusLines(status), body }, flags.json));
    return areAllTrusted(status);
  }
  let failure: string | null = null;
  const draw = (): void => {
    const lines = [...statusLines(status), ...(failure === null ? [] : ['', failure])];
    overwriteScreen(output, `${lines.join('\n')}\n`);
  };
  while (!stop.aborted) {
    draw();
    await delay(READ_INTERVAL_MS, undefined, { signal: stop }).catch(() => undefined);
    try {
      status = await service.status({ signal: stop });
      failure = null;
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      failure = `the table is old: ${error.code}: ${error.message}`;
    }
  }
  return areAllTrusted(status);
}

function areAllTrusted({ sources = [] }: ServiceStatus): boolean {
  return sources.every(({ state }) => state === 'trusted');
}
