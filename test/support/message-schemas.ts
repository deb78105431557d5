/** Schemas without room for members that they do not name, and the kinds of messages by them. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** Returns the schema, with each part that has these members closed to members that it does not name. */
export function closedSchema(
  schema: object,
  members: readonly string[] = ['properties', 'required'],
): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(schema, (_, part: unknown) => {
      if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
      const isClosed = members.every((name) => name in part);
      return isClosed ? { ...part, additionalProperties: false } : part;
    }),
  );
}

/** The messages of a published schema, which lets members be added: here an unnamed one is an error. */
export class MessageSchemas {
  readonly #ajv = new Ajv2020({ strict: false, logger: false });
  readonly #kinds: Readonly<Record<string, { readonly oneOf: readonly { $ref: string }[] }>>;

  constructor(schema: { readonly $defs: object }) {
    this.#kinds = schema.$defs as never;
    this.#ajv.addSchema(closedSchema(schema), 'messages');
  }

  check(name: string): ValidateFunction {
    const found = this.#ajv.getSchema(`messages#/$defs/${name}`);
    if (found === undefined) throw new Error(`there is no schema ${name}`);
    return found;
  }

  /** All kinds of messages of a side. */
  namesOf(side: 'server' | 'client'): readonly string[] {
    return (this.#kinds[side]?.oneOf ?? []).map(({ $ref }) => $ref.replace('#/$defs/', ''));
  }

  /** The kinds that a message fits: one, where the schemas are right. */
  kindsOf(message: unknown, side: 'server' | 'client' = 'server'): readonly string[] {
    return this.namesOf(side).filter((name) => this.check(name)(message));
  }
}
