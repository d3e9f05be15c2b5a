import * as z from 'zod/mini';
import { ANSWERS, BODIES } from '../components.ts';
import type { JsonSchema } from './openapi.ts';

/** Our schemas as JSON Schema 2020-12. */

const refTo = (name: string) => `#/components/schemas/${name}`;
const names = new Map([...Object.entries(ANSWERS), ...Object.entries(BODIES)].map(([name, schema]) => [schema, name]));

/** A reference to a schema that has a name. Throws for one that has none: it belongs into `components.ts`. */
export function refOf(schema: z.ZodMiniType): JsonSchema {
  const name = names.get(schema);
  if (name === undefined) throw new Error('A schema of the API has no name in components.ts');
  return { $ref: refTo(name) };
}

/** zod spells out what the format says already, and the bounds of what a number can hold. */
function withoutNoise({ jsonSchema: schema }: { readonly jsonSchema: Record<string, unknown> }): void {
  if (schema['format'] !== undefined) delete schema['pattern'];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
}

function named(schemas: Readonly<Record<string, z.ZodMiniType>>, io: 'input' | 'output'): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const made = z.toJSONSchema(registry, { uri: refTo, io, override: withoutNoise }).schemas;
  return Object.fromEntries(
    Object.entries(made).map(([name, { $schema: _dialect, $id: _id, ...schema }]) => [name, schema]),
  );
}

/** Every schema that has a name. */
export function namedSchemas(): Readonly<Record<string, JsonSchema>> {
  return { ...named(ANSWERS, 'output'), ...named(BODIES, 'input') };
}

/** A schema without a name, such as a parameter's. */
export function inlineSchema(schema: z.ZodMiniType): JsonSchema {
  const {
    $schema: _dialect,
    '~standard': _standard,
    ...rest
  } = z.toJSONSchema(schema, { io: 'input', override: withoutNoise }) as Record<string, unknown>;
  return rest;
}
