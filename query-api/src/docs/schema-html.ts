import type { JsonSchema, OpenApiDocument } from '@alpenglow/domain/api';
import { escapeHtml } from '@alpenglow/infra';
import { joinHtml, inlineHtml } from './html.ts';

type Properties = Readonly<Record<string, JsonSchema>>;

const toList = (value: unknown): readonly JsonSchema[] =>
  Array.isArray(value) ? (value as readonly JsonSchema[]) : [];

/** Returns the last part of a `$ref` reference, which is the name of the schema or property. */
function nameOf(ref: string): string {
  return ref.split('/').at(-1) ?? ref;
}

/**
 * Renders a `$ref` reference. A reference to a schema becomes a link to the schema, and a reference to a property
 * becomes the name of the property.
 */
function link(ref: string): string {
  const isWhole = /^#\/components\/schemas\/\w+$/u.test(ref);
  return isWhole
    ? `<a href="/api/docs/schemas#${escapeHtml(nameOf(ref))}">${escapeHtml(nameOf(ref))}</a>`
    : `as <code>${escapeHtml(nameOf(ref))}</code>`;
}

/** Renders the type that a JSON schema allows for a value, e.g. `string or null`. */
export function typeHtml(schema: JsonSchema): string {
  const { $ref: ref, enum: values, const: only, anyOf, allOf, type, items, format } = schema;
  if (typeof ref === 'string') return link(ref);
  if (Array.isArray(values)) return values.map((value) => escapeHtml(String(value))).join(' | ');
  if (only !== undefined) return escapeHtml(JSON.stringify(only));
  if (Array.isArray(anyOf)) return toList(anyOf).map(typeHtml).join(' or ');
  if (Array.isArray(allOf)) return toList(allOf).map(typeHtml).join(' and ');
  if (items !== undefined) return `list of ${typeHtml(items as JsonSchema)}${Array.isArray(type) ? ' or null' : ''}`;
  const name = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'anything';
  return escapeHtml(typeof format === 'string' ? `${name} (${format})` : name);
}

const LIMITS: Readonly<Record<string, string>> = {
  minLength: 'at least {} characters',
  maxLength: 'at most {} characters',
  minimum: 'at least {}',
  maximum: 'at most {}',
  maxItems: 'at most {} items',
  pattern: 'like {}',
};

/** Describes the limits of a JSON schema in English, e.g. `at most 10 items`. */
function describeLimits(schema: JsonSchema): string {
  const own = Object.entries(LIMITS).flatMap(([key, words]) =>
    schema[key] === undefined
      ? []
      : [words.replace('{}', () => (key === 'pattern' ? `\`${String(schema[key])}\`` : String(schema[key])))],
  );
  const inner = toList(schema['anyOf'])
    .map(describeLimits)
    .filter((words) => words !== '');
  return [...own, ...inner].join(', ');
}

/** Renders the description and the limits of a JSON schema, e.g. of a parameter. */
export function descriptionHtml(schema: JsonSchema, description = schema['description']): string {
  const limits = describeLimits(schema);
  return [
    typeof description === 'string' ? inlineHtml(description) : '',
    limits === '' ? '' : `<i>(${inlineHtml(limits)})</i>`,
  ]
    .join(' ')
    .trim();
}

function propertyList(schema: JsonSchema): string {
  const required = new Set(toList(schema['required']) as readonly unknown[]);
  const entries = Object.entries((schema['properties'] ?? {}) as Properties);
  const entryHtml = ([name, property]: readonly [string, JsonSchema]) => {
    const details = `${descriptionHtml(property)}${valueList(property)}${innerList(property)}`;
    const type = `${typeHtml(property)}${required.has(name) ? '' : ', optional'}`;
    return `<dt>${escapeHtml(name)} <i>${type}</i>${details === '' ? '' : `<dd>${details}`}`;
  };
  return entries.length === 0 ? '' : `<dl>${joinHtml(entries, entryHtml)}</dl>`;
}

/** Renders the values of a property that have their own descriptions. */
function valueList({ oneOf }: JsonSchema): string {
  const values = toList(oneOf).map(
    ({ const: value, description }) => `<dt>${escapeHtml(String(value))}<dd>${escapeHtml(String(description))}`,
  );
  return values.length === 0 ? '' : `<dl>${values.join('')}</dl>`;
}

/** Renders the properties of an unnamed object, or of the unnamed objects in a list. */
function innerList(schema: JsonSchema): string {
  const inner = (schema['items'] ?? schema) as JsonSchema;
  return inner['properties'] === undefined ? '' : propertyList(inner);
}

/** Renders the type of a schema. Returns no text for an object, whose properties are rendered separately. */
function kindHtml(schema: JsonSchema): string {
  if (schema['allOf'] !== undefined) return `<p>All fields of ${typeHtml(schema)}.`;
  return schema['properties'] === undefined ? `<p>${typeHtml(schema)}` : '';
}

/** Renders every named schema of the OpenAPI document. Each schema has an anchor for links. */
export function schemasHtml({ components }: OpenApiDocument): string {
  return joinHtml(
    Object.entries(components.schemas),
    ([name, schema]) =>
      `<details id="${escapeHtml(name)}"><summary><h3>${escapeHtml(name)}</h3></summary>` +
      `${descriptionHtml(schema)}${kindHtml(schema)}${propertyList(schema)}</details>`,
  );
}
