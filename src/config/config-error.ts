import { CodedError } from '../contract/coded-error.js';
import { flagOf } from './settings.js';

/** The error for a setting that is missing or invalid. */
export class ConfigError extends CodedError<
  'MISSING_SETTING' | 'INVALID_SETTING' | 'SETTING_OUT_OF_RANGE'
> {
  override readonly name = 'ConfigError';

  constructor(
    code: ConfigError['code'],
    message: string,
    /** The flag of the setting, for example `--port`. */
    readonly setting: string,
    options: ErrorOptions = {},
  ) {
    super(code, message, { ...options });
  }
}

/** The error for a missing value. */
export function missing(key: string): ConfigError {
  const flag = flagOf(key);
  return new ConfigError('MISSING_SETTING', `${flag} is missing`, flag);
}

/** The error for an unreadable value. */
export function invalid(key: string, value: string, rule: string): ConfigError {
  const flag = flagOf(key);
  return new ConfigError('INVALID_SETTING', `${flag} was ${value}, ${rule}`, flag);
}

/**
 * Returns the error for a malformed address. The message omits the value, because an RPC address
 * often contains an access key.
 */
export function notUrl(key: string, protocols: readonly string[]): ConfigError {
  const flag = flagOf(key);
  const wanted = protocols.map((protocol) => `${protocol}//`).join(' or ');
  return new ConfigError('INVALID_SETTING', `${flag} must be a ${wanted} URL`, flag);
}

/** Returns the error for a value outside of its range. */
export function outOfRange(key: string, value: string | number, range: string): ConfigError {
  const flag = flagOf(key);
  return new ConfigError('SETTING_OUT_OF_RANGE', `${flag} was ${value}, must be ${range}`, flag);
}
