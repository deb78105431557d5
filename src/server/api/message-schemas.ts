/** The schemas of WebSocket messages: each file is a JSON Schema (2020-12) with named parts. */
import { readFileSync } from 'node:fs';

/**
 * A schema file of docs/schemas; its parts `client` and `server` list the messages that each side
 * sends.
 */
export interface MessageSchemas {
  readonly $defs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The files. */
export const SCHEMA_FILES = [
  'stream',
  'market-stream',
  'compatible-stream',
  'quotes-stream',
  'user-stream',
] as const;

/** A schema file. */
export type SchemaFile = (typeof SCHEMA_FILES)[number];

/** Reads a schema file, which the build copies next to the compiled code. */
export function readMessageSchemas(file: SchemaFile): MessageSchemas {
  const url = new URL(`../../../docs/schemas/${file}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')) as MessageSchemas;
}

/** Returns the names of the messages that a side sends. */
export function messagesOf(
  { $defs }: MessageSchemas,
  side: 'client' | 'server',
): readonly string[] {
  const { oneOf, anyOf } = $defs[side] as Readonly<Record<string, readonly { $ref: string }[]>>;
  return (oneOf ?? anyOf ?? []).map(({ $ref }) => $ref.replace('#/$defs/', ''));
}
