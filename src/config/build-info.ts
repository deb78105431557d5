/** The package's name and version, and the commit that was recorded during the build. */
import { readFileSync } from 'node:fs';

/** The build in /version. */
export interface BuildInfo {
  readonly name: string;
  readonly version: string;
  /** The commit; null for a build outside of a checkout. */
  readonly commit: string | null;
}

/**
 * Reads the build info next to the compiled files; without a commit when the service runs from
 * source.
 */
export function readBuildInfo(): BuildInfo {
  const manifest = readJson('../../package.json') ?? readJson('../../../package.json') ?? {};
  const build = readJson('../../build-info.json') ?? {};
  return {
    name: textOr(manifest['name'], 'slotbook'),
    version: textOr(manifest['version'], '0.0.0'),
    commit: typeof build['commit'] === 'string' ? build['commit'] : null,
  };
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

function readJson(relative: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(new URL(relative, import.meta.url), 'utf8'));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
