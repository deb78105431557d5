/**
 * An expected failure: a code for programs, a message for people, the values that the message is about, and the
 * failure that caused it. The error of each room names its codes.
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
