/** The part of a pino logger that rooms write to. Fields never hold an unredacted URL. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Says nothing: the default in tests. */
export const silentLog: Log = { info: () => undefined, warn: () => undefined };
