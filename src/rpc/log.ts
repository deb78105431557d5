/** The part of a pino logger that rooms write to, which masks the secrets of all texts. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Says nothing: the default in tests. */
export const silentLog: Log = { info: () => undefined, warn: () => undefined };
