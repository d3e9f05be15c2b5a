import { createHash } from 'node:crypto';
import {
  UNMATCHED_REQUEST_ERRORS,
  type Content,
  type OpenApiDocument,
  type OperationObject,
  type ParameterObject,
  type Reference,
  type ResponseObject,
  type SecurityRequirements,
} from '@alpenglow/domain/api';
import { escapeHtml } from '@alpenglow/infra';
import { joinHtml, paragraphsHtml, inlineHtml } from './html.ts';
import { schemasHtml, typeHtml, descriptionHtml } from './schema-html.ts';
import { STYLE } from './style.ts';

interface OperationEntry {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

/**
 * The content security policy of the pages of the API documentation. The policy forbids scripts and additional files.
 */
export const CONTENT_SECURITY_POLICY =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Renders the operations of the OpenAPI document as an HTML page without scripts. */
export function renderDocsPage(document: OpenApiDocument): string {
  const { info, tags, components } = document;
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const withTag = (tag: string) => entries.filter(({ operation }) => operation.tags.includes(tag));
  const index = joinHtml(
    tags,
    ({ name }) => `<strong>${escapeHtml(name)}</strong><ul>${joinHtml(withTag(name), indexEntry)}</ul>`,
  );
  const sections = joinHtml(
    tags,
    ({ name, description }) =>
      `<section><h2>${escapeHtml(name)}</h2><p class="muted">${inlineHtml(description)}</p>` +
      `${joinHtml(withTag(name), (entry) => operationHtml(document, entry))}</section>`,
  );
  const general = Object.entries(components.responses).filter(([name]) => name.startsWith('AnyOperation'));
  return pageHtml(
    String(info['title']),
    {
      title: 'All operations',
      content: `${index}<strong>Schemas</strong><ul><li><a href="/api/docs/schemas">All schemas</a></ul>`,
    },
    `<p class="muted">Version ${escapeHtml(String(info['version']))}. ` +
      'For programs: <a href="/api/docs/openapi.yaml">openapi.yaml</a>, OpenAPI 3.1.</p>' +
      `${paragraphsHtml(String(info['description']))}` +
      '<p>Every operation accepts <a href="#p-X-Request-Id">X-Request-Id</a>. ' +
      'Operations require a session unless another access is given, and those below "Admin" the session of an admin. ' +
      'Operations that accept a session may return 401 AUTHENTICATION_REQUIRED, and those with If-None-Match 304. ' +
      `Bodies are <code>application/json</code> unless another type is given.${sections}` +
      `<section><h2>Parameters</h2>${joinList(Object.entries(components.parameters), parameterHtml)}</section>` +
      '<section><h2>General errors</h2><p>A <a href="/api/docs/schemas#ErrorAnswer">list</a> has their statuses.' +
      `${joinList(general, ([name, response]) => `<dt id="${name}">${name}<dd>${codesOf(response).join(', ')}`)}` +
      '</section>',
  );
}

/** Renders the schemas of the OpenAPI document as an HTML page without scripts. */
export function renderSchemaPage(document: OpenApiDocument): string {
  const index = joinHtml(
    Object.keys(document.components.schemas),
    (name) => `<li><a href="#${escapeHtml(name)}">${escapeHtml(name)}</a>`,
  );
  return pageHtml(
    `${String(document.info['title'])}: schemas`,
    { title: 'All schemas', content: `<ul>${index}</ul>` },
    `<p><a href="/api/docs">All operations</a>${schemasHtml(document)}`,
  );
}

/** Renders a page of the API documentation with an index on its left side. */
function pageHtml(title: string, index: { readonly title: string; readonly content: string }, content: string): string {
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>` +
    `<a class="skip" href="#main">Skip to the content</a><div class="frame"><nav aria-label="${index.title}">` +
    `<details class="index" open><summary>${index.title}</summary>${index.content}</details></nav>` +
    `<main id="main"><h1>${escapeHtml(title)}</h1>${content}</main></div></body></html>`
  );
}

/** The components that most operations use. The page describes them once, so that it remains small. */
const OMITTED = ['X-Request-Id', 'Unchanged', 'AUTHENTICATION_REQUIRED'];

const UNMATCHED: readonly string[] = UNMATCHED_REQUEST_ERRORS;

/** Returns the name of the component to which a reference leads, or null for another object. */
const componentOf = (value: object) => ('$ref' in value ? (String(value.$ref).split('/').at(-1) ?? null) : null);
const isShown = (value: object) => !OMITTED.includes(componentOf(value) ?? '');

/** Returns the component to which a reference leads, with the description of the reference. */
function resolve<T extends object>(components: Readonly<Record<string, T>>, value: T | Reference): T {
  const name = componentOf(value);
  if (name === null) return value as T;
  const found = components[name];
  if (!found) throw new Error(`The API document refers to ${name}, which does not exist`);
  return { ...found, ...('description' in value && { description: value.description }) };
}

function indexEntry({ operation }: OperationEntry): string {
  // The id of an operation consists of letters, so the value needs no quotation marks.
  return `<li><a href=#${escapeHtml(operation.operationId)}>${escapeHtml(operation.summary)}</a>`;
}

/** Describes who may use an operation. The text is empty for the access that the page describes once. */
function describeAccess({ tags, security }: OperationObject, defaultSecurity: SecurityRequirements): string {
  if (tags.includes('Admin')) return '';
  const requirements = security ?? defaultSecurity;
  if (requirements.length === 0) return 'Public.';
  if (requirements.some((requirement) => Object.keys(requirement).length === 0))
    return 'Public. With a session, the response may contain more data.';
  return requirements.some((requirement) => 'statement' in requirement)
    ? 'Requires a session, or the token of a mail about a decision in `X-Statement-Token`.'
    : '';
}

function operationHtml({ components, security }: OpenApiDocument, { method, path, operation }: OperationEntry): string {
  const { operationId, summary, description = '', parameters = [], requestBody, responses } = operation;
  const access = describeAccess(operation, security);
  const parameterHtmls = joinList(parameters.filter(isShown), (parameter) => {
    const name = componentOf(parameter);
    return name === null
      ? parameterHtml(['', parameter as ParameterObject])
      : `<dt><a href=#p-${escapeHtml(name)}>${escapeHtml(resolve(components.parameters, parameter).name)}</a>`;
  });
  const { default: general = { description: '' }, ...specific } = responses;
  const generalErrors = codesOf(resolve(components.responses, general)).filter((code) => !UNMATCHED.includes(code));
  const shownResponses = Object.entries(specific).filter(([, response]) => isShown(response));
  const responseHtmls = joinHtml(shownResponses, ([status, response]) => {
    return `<dt>${escapeHtml(status)}<dd>${responseHtml(resolve(components.responses, response), generalErrors)}`;
  });
  return (
    `<details id="${escapeHtml(operationId)}"><summary>` +
    // The value needs no quotation marks. Without them, the page remains small.
    `<b class=${escapeHtml(method)}>${escapeHtml(method.toUpperCase())}</b> ` +
    `<span>${escapeHtml(path)}</span><h3>${escapeHtml(summary)}</h3></summary>` +
    `${paragraphsHtml(description)}${access === '' ? '' : `<p><i>${inlineHtml(access)}</i>`}` +
    (parameters.some(isShown) ? `<h4>Parameters</h4>${parameterHtmls}` : '') +
    `${requestBody ? `<h4>Body</h4>${contentHtml(resolve(components.requestBodies, requestBody).content)}` : ''}` +
    `<h4>Responses</h4><dl>${responseHtmls}<dt>*<dd><a href=#${componentOf(general)}>general errors</a></dl></details>`
  );
}

/**
 * Renders a list of terms and their descriptions. The end tags of `dt`, `dd` and `p` are omitted, because they are
 * optional in HTML.
 */
function joinList<Item>(items: readonly Item[], html: (item: Item) => string): string {
  return `<dl>${joinHtml(items, html)}</dl>`;
}

/** Renders a parameter. A parameter with a component name has an anchor, to which the operations link. */
function parameterHtml([component, parameter]: readonly [component: string, ParameterObject]): string {
  const { name, in: where, schema, description } = parameter;
  const anchor = component === '' ? '' : ` id="p-${escapeHtml(component)}"`;
  return (
    `<dt${anchor}>${escapeHtml(name)} <i>${where}, ${typeHtml(schema)}</i>` +
    `<dd>${descriptionHtml(schema, description)}`
  );
}

function contentHtml(content: Content): string {
  return joinHtml(Object.entries(content), ([type, { schema, example }]) => {
    const name = type === 'application/json' && schema ? '' : escapeHtml(type);
    const shown = schema ? `${name === '' ? '' : ': '}${typeHtml(schema)}` : '';
    const sample = example === undefined ? '' : `<pre>${escapeHtml(JSON.stringify(example, null, 1))}</pre>`;
    return `<p>${name}${shown}${sample}`;
  });
}

/** Returns the error codes of an error response, which its description lists. */
const codesOf = ({ description }: { readonly description: string }) => description.replaceAll('`', '').split(', ');

/** Renders a response without the general errors of its operation. */
function responseHtml(
  { description, content = {}, headers = {} }: ResponseObject,
  generalErrors: readonly string[],
): string {
  const names = Object.keys(headers).map(escapeHtml);
  // The structure of error responses is omitted, because it is always the same.
  const { 'application/problem+json': problem, ...shown } = content;
  const isError = problem !== undefined && Object.keys(shown).length === 0;
  const codes = codesOf({ description }).filter((code) => !generalErrors.includes(code));
  return (
    `${isError ? escapeHtml(codes.join(', ')) : inlineHtml(description)}${contentHtml(shown)}` +
    `${names.length > 0 ? ` <i>${names.join(' ')}</i>` : ''}`
  );
}
