import { RESPONSE_SCHEMAS, type JsonSchema } from '@alpenglow/domain/api';
import { apiDocument } from './api-document.ts';

/** Records which schema properties had a value in a response, e.g. `AdView.phone`. */

const schemaNamed = (name: string): JsonSchema => apiDocument.components.schemas[name] ?? {};
const nameOf = (schema: JsonSchema): string | null =>
  typeof schema['$ref'] === 'string' ? (schema['$ref'].split('/').at(-1) ?? null) : null;
/**
 * Resolves a schema reference to the component. Does not resolve references to named response bodies, because their
 * properties are recorded under their own names.
 */
function resolvePart(schema: JsonSchema): JsonSchema {
  const name = nameOf(schema);
  return name === null || RESPONSE_SCHEMAS.has(name) ? schema : schemaNamed(name);
}
const partsOf = (schema: JsonSchema) => ((schema['allOf'] ?? []) as readonly JsonSchema[]).map(resolvePart);
const propertiesOf = (schema: JsonSchema) =>
  Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);

/** Returns all properties of a named schema and of its nested objects. Properties that are always null are left out. */
export function propertiesOfSchema(name: string): string[] {
  return propertyPaths(schemaNamed(name), name);
}

function propertyPaths(schema: JsonSchema, at: string): string[] {
  const own = propertiesOf(schema).flatMap(([key, property]) =>
    property['type'] === 'null'
      ? []
      : [`${at}.${key}`, ...nestedSchemas(property).flatMap((inner) => propertyPaths(inner, `${at}.${key}`))],
  );
  return [...partsOf(schema).flatMap((part) => propertyPaths(part, at)), ...own];
}

/**
 * Returns the unnamed object schemas in a schema. These can be the schema itself, the schema of its list items, and its
 * `anyOf` alternatives.
 */
function nestedSchemas(reference: JsonSchema): readonly JsonSchema[] {
  const schema = resolvePart(reference);
  const parts = [
    schema,
    ...(schema['items'] === undefined ? [] : [resolvePart(schema['items'] as JsonSchema)]),
    ...((schema['anyOf'] ?? []) as readonly JsonSchema[]).map(resolvePart),
  ];
  return parts.filter((part) => part['properties'] !== undefined);
}

/** Adds the names of all properties that have a value in a valid response to `recorded`. */
export function recordProperties(recorded: Set<string>, reference: JsonSchema, value: unknown, at = ''): void {
  if (value === null || value === undefined) return;
  const schema = resolvePart(reference);
  const name = nameOf(schema);
  if (name !== null) return recordProperties(recorded, schemaNamed(name), value, name);
  for (const part of (schema['anyOf'] ?? schema['allOf'] ?? []) as readonly JsonSchema[])
    recordProperties(recorded, part, value, at);
  if (Array.isArray(value)) {
    for (const one of value) recordProperties(recorded, (schema['items'] ?? {}) as JsonSchema, one, at);
    return;
  }
  for (const [key, property] of propertiesOf(schema)) {
    const inner = (value as Readonly<Record<string, unknown>>)[key];
    if (inner === null || inner === undefined) continue;
    recorded.add(`${at}.${key}`);
    recordProperties(recorded, property, inner, `${at}.${key}`);
  }
}
