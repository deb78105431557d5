import { CodedError } from '../contract/coded-error.js';
import { flagOf } from './settings.js';

/** A setting that is missing or cannot be used. */
export class ConfigError extends CodedError<
  'MISSING_SETTING' | 'INVALID_SETTING' | 'SETTING_OUT_OF_RANGE'
> {
  override readonly name = 'ConfigError';

  constructor(
    code: ConfigError['code'],
    message: string,
    /** The flag whose value it is, for example `--port`. */
    readonly setting: string,
    options: ErrorOptions = {},
  ) {
    super(code, message, { ...options });
  }
}

/** A value that has to be given. */
export function missing(key: string): ConfigError {
  const flag = flagOf(key);
  return new ConfigError('MISSING_SETTING', `${flag} is missing`, flag);
}

/** A value that cannot be read. */
export function invalid(key: string, value: string, rule: string): ConfigError {
  const flag = flagOf(key);
  return new ConfigError('INVALID_SETTING', `${flag} was ${value}, ${rule}`, flag);
}

/** A malformed address. Its text is left out, because an RPC address often carries an access key. */
export function notUrl(key: string, protocols: readonly string[]): ConfigError {
  const flag = flagOf(key);
  const wanted = protocols.map((protocol) => `${protocol}//`).join(' or ');
  return new ConfigError('INVALID_SETTING', `${flag} must be a ${wanted} URL`, flag);
}

/** A value outside of its range. */
export function outOfRange(key: string, value: string | number, range: string): ConfigError {
  const flag = flagOf(key);
  return new ConfigError('SETTING_OUT_OF_RANGE', `${flag} was ${value}, must be ${range}`, flag);
}
