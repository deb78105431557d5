const HTTP: readonly string[] = ['http:', 'https:'];

/** The address in a text; undefined when the text is none, or of another protocol. */
export function findAddress(text: string, protocols = HTTP): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && protocols.includes(url.protocol) ? url : undefined;
}

/** Validates the flags of a command. Each method throws the error that `invalid` makes of a message. */
export class FlagReader {
  constructor(
    /** The error of a message, also for checks of one command alone. */
    readonly invalid: (message: string) => Error,
  ) {}

  /** Returns the address of a service; `name` names the text in the message. */
  readAddress(name: string, text: string, protocols = HTTP): URL {
    const url = findAddress(text, protocols);
    if (url !== undefined) return url;
    const schemes = protocols.map((protocol) => `${protocol}//`);
    const last = schemes.pop();
    throw this.invalid(`${name} must begin with ${schemes.join(', ')} or ${last}`);
  }

  /** Returns a whole number within a range. */
  readWhole(name: string, text: string, [min, max]: readonly [number, number]): number {
    const value = /^\d+$/.test(text) ? Number(text) : -1;
    if (value >= min && value <= max) return value;
    throw this.invalid(`--${name} was ${text}, must be ${min} to ${max}`);
  }

  /** Returns the choice that a text names. */
  readChoice<Choice extends string | number>(
    name: string,
    text: string,
    choices: readonly Choice[],
  ): Choice {
    const found = choices.find((choice) => String(choice) === text);
    if (found !== undefined) return found;
    throw this.invalid(`--${name} was ${text}, must be ${choices.join(', ')}`);
  }
}
