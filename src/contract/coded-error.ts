/**
 * An expected failure: a code for programs, a message for people, the values in question, and the
 * cause. Each room declares an error class with its own codes.
 */
export abstract class CodedError<
  Code extends string,
  Context extends object = Readonly<Record<string, unknown>>,
> extends Error {
  readonly context: Omit<Context, 'cause'>;

  constructor(
    readonly code: Code,
    message: string,
    { cause, ...context }: Context & ErrorOptions = {} as Context,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.context = context;
  }
}
