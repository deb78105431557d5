/**
 * The schemas of /openapi.json, in forms that generators of clients know: they name no type of an
 * anonymous member of a union, have none for a member that is always null, and take a constant for
 * a text.
 */
import type { TSchema } from '@sinclair/typebox';

/**
 * Maximum required members with an underscore: what typescript-fetch makes of more, each with a
 * second spelling, is too complex for TypeScript.
 */
const SNAKE_CASE_REQUIRED_MAX = 8;

type Json = Readonly<Record<string, unknown>>;

/** Returns the schemas of the bodies by name, with those of the members of their unions. */
export function componentsOf(bodies: Readonly<Record<string, TSchema>>): Json {
  const named = Object.entries(bodies).flatMap(([name, schema]) => nameMembers(name, schema));
  return Object.fromEntries(named.map(([name, schema]) => [name, widenConstants(schema)]));
}

/** Returns a schema; of a union also each member, as a schema of its own. */
function nameMembers(name: string, schema: TSchema): readonly (readonly [string, Json])[] {
  const { anyOf } = schema as { readonly anyOf?: readonly TSchema[] };
  if (anyOf === undefined) return [[name, schema]];
  const members = anyOf.map((member, at) => [`${name}Form${at + 1}`, member] as const);
  const refs = members.map(([member]) => ({ $ref: `#/components/schemas/${member}` }));
  return [[name, { ...schema, anyOf: refs }], ...members];
}

/** Describes members that are always null as texts or null, and constants but texts by their type. */
function widenConstants(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(widenConstants);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (key === 'const' && typeof value !== 'string') return [];
      if (key === 'required') return [[key, requiredOf(value as readonly string[])]];
      return [[key, key === 'properties' ? widenProperties(value as Json) : widenConstants(value)]];
    }),
  );
}

function requiredOf(names: readonly string[]): readonly string[] {
  const others = names.filter((name) => !name.includes('_'));
  return names.length - others.length > SNAKE_CASE_REQUIRED_MAX ? others : names;
}

function widenProperties(properties: Json): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const schema = widenConstants(property) as Json;
      return [name, schema['type'] === 'null' ? { ...schema, type: ['string', 'null'] } : schema];
    }),
  );
}
