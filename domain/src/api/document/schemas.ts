import * as z from 'zod/mini';
import { FIELD_GROUPS, getComponentName, REQUEST_SCHEMAS, RESPONSE_SCHEMAS, SHARED_SCHEMAS } from '../component.ts';
import { mergeNullTypes, shareProperties } from './compact-schemas.ts';
import type { JsonSchema } from './openapi.ts';

/** Converts the schemas of the API to JSON Schema 2020-12. */

const refTo = (name: string) => `#/components/schemas/${name}`;

/** Returns a reference to a component schema. Throws if the schema is not registered in `component.ts`. */
export function schemaRef(schema: z.ZodMiniType): JsonSchema {
  const name = getComponentName(schema);
  if (name === null) throw new Error('A schema of the API has no component name');
  return { $ref: refTo(name) };
}

/**
 * Removes redundant keywords of a JSON Schema: `pattern` in addition to `format`, `enum` in addition to described
 * values, and `minimum` and `maximum` if their values are the limits of safe integers.
 */
function removeRedundantKeywords({ jsonSchema: schema }: { readonly jsonSchema: Record<string, unknown> }): void {
  if (schema['format'] !== undefined) delete schema['pattern'];
  if (schema['oneOf'] !== undefined) delete schema['enum'];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
}

function convertNamed(schemas: ReadonlyMap<string, z.ZodMiniType>, io: 'input' | 'output'): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of [...schemas, ...SHARED_SCHEMAS]) registry.add(schema, { id });
  const converted = z.toJSONSchema(registry, { uri: refTo, io, override: removeRedundantKeywords }).schemas;
  return Object.fromEntries(
    Object.entries(converted).map(([name, { $schema: _dialect, $id: _id, ...schema }]) => [name, schema]),
  );
}

/** Returns every component schema by name, in alphabetical order. */
export function createComponentSchemas(): Readonly<Record<string, JsonSchema>> {
  const responseSchemas = Object.entries(convertNamed(RESPONSE_SCHEMAS, 'output'));
  const merged = Object.fromEntries(responseSchemas.map(([name, schema]) => [name, mergeNullTypes(schema)]));
  const schemas = { ...convertNamed(REQUEST_SCHEMAS, 'input'), ...shareProperties(merged, FIELD_GROUPS) };
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const inlineSchemas = new WeakMap<z.ZodMiniType, JsonSchema>();

/**
 * Converts a schema without a name, e.g. the schema of a parameter. The result is cached, because the
 * conversion is slow.
 */
export function toInlineSchema(schema: z.ZodMiniType): JsonSchema {
  const cached = inlineSchemas.get(schema);
  if (cached) return cached;
  const {
    $schema: _dialect,
    '~standard': _standard,
    ...rest
  } = z.toJSONSchema(schema, { io: 'input', override: removeRedundantKeywords }) as Record<string, unknown>;
  inlineSchemas.set(schema, rest);
  return rest;
}
