/** The part of a pino logger that rooms use; it masks secrets in all texts. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Discards all lines: the default in tests. */
export const silentLog: Log = { info: () => undefined, warn: () => undefined };
