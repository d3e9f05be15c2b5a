import type { JsonSchema } from '@alpenglow/domain/api';
import { apiDocument } from './api-document.ts';

/** Which properties of the document's schemas answers have shown, with a value: `AdView.phone`. */

const schemaNamed = (name: string): JsonSchema => apiDocument.components.schemas[name] ?? {};
const nameOf = (schema: JsonSchema): string | null =>
  typeof schema['$ref'] === 'string' ? (schema['$ref'].split('/').at(-1) ?? null) : null;
const propertiesOf = (schema: JsonSchema) =>
  Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);

/** Every property of a named schema, those of objects within it included, as they are told of. A property that is always null has nothing to show. */
export function propertiesNamed(name: string): string[] {
  return within(schemaNamed(name), name);
}

function within(schema: JsonSchema, at: string): string[] {
  return propertiesOf(schema).flatMap(([key, property]) =>
    property['type'] === 'null'
      ? []
      : [`${at}.${key}`, ...innerOf(property).flatMap((inner) => within(inner, `${at}.${key}`))],
  );
}

/** The schemas without a name of what a value holds: itself, what stands in a list, or one of several. */
function innerOf(schema: JsonSchema): readonly JsonSchema[] {
  const parts = [
    schema,
    schema['items'] as JsonSchema | undefined,
    ...((schema['anyOf'] ?? []) as readonly JsonSchema[]),
  ];
  return parts.filter((part): part is JsonSchema => part?.['properties'] !== undefined);
}

/** Notes what a valid answer shows of the schema it has. */
export function note(seen: Set<string>, schema: JsonSchema, value: unknown, at = ''): void {
  if (value === null || value === undefined) return;
  const name = nameOf(schema);
  if (name !== null) return note(seen, schemaNamed(name), value, name);
  for (const part of (schema['anyOf'] ?? schema['allOf'] ?? []) as readonly JsonSchema[]) note(seen, part, value, at);
  if (Array.isArray(value)) {
    for (const one of value) note(seen, (schema['items'] ?? {}) as JsonSchema, one, at);
    return;
  }
  for (const [key, property] of propertiesOf(schema)) {
    const inner = (value as Readonly<Record<string, unknown>>)[key];
    if (inner === null || inner === undefined) continue;
    seen.add(`${at}.${key}`);
    note(seen, property, inner, `${at}.${key}`);
  }
}
