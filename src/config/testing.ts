/** What tests of settings share. */
import { expect } from 'vitest';
import { ConfigReader } from './config.js';
import { ConfigError } from './config-error.js';
import type { Environment, Flags } from './setting-reader.js';

/** Returns the reader of settings that flags and the environment give. */
export const reader = (flags: Flags, environment: Environment = {}): ConfigReader =>
  new ConfigReader(flags, environment);

/** Expects that a service and a demo refuse flags with this error. */
export function expectRefusal(flags: Flags, expected: { code: string; setting: string }): void {
  const read = (): unknown => {
    const config = reader({ rpcUrl: 'http://node.example', ...flags });
    return { ...config.readService(), ...config.readDemo() };
  };
  let error: unknown;
  try {
    read();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(ConfigError);
  expect(error).toMatchObject(expected);
}
