import { createHash } from 'node:crypto';
import {
  ANY_OPERATION_RESPONSE,
  type Content,
  type OpenApiDocument,
  type OperationObject,
  type ParameterObject,
  type RequestBodyObject,
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
  const { info, tags } = document;
  const entries = listOperations(document);
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
  return pageHtml(
    String(info['title']),
    {
      title: 'All operations',
      content: `${index}<strong>Schemas</strong><ul><li><a href="/api/docs/schemas">All schemas</a></ul>`,
    },
    `<p class="muted">Version ${escapeHtml(String(info['version']))}. ` +
      'For programs: <a href="/api/docs/openapi.yaml">openapi.yaml</a>, OpenAPI 3.1.</p>' +
      `${paragraphsHtml(String(info['description']))}` +
      '<p>Every operation accepts <a href="#p-X-Request-Id">X-Request-Id</a> ' +
      'and may return the <a href="#any-operation">errors of every operation</a>. ' +
      'Operations require a session unless another access is given, and those below "Admin" the session of an admin. ' +
      `Bodies are <code>application/json</code> unless another type is given.${sections}` +
      `<section id="parameters"><h2>Parameters</h2>${parametersHtml(document.components.parameters)}</section>` +
      '<section id="any-operation"><h2>Errors of every operation</h2>' +
      `${responsesHtml([findCommonResponse(document)])}<p>Every operation may also return ` +
      '400 INVALID_REQUEST. Operations with a JSON body may also return ' +
      `413 BODY_TOO_LARGE and 415 UNSUPPORTED_MEDIA_TYPE. Operations with the header Idempotency-Key may also return ` +
      '400 INVALID_IDEMPOTENCY_KEY, 409 IDEMPOTENCY_IN_PROGRESS, 409 IDEMPOTENCY_ANSWER_GONE and ' +
      '422 IDEMPOTENCY_KEY_REUSED. Operations that accept a session may also return 401 AUTHENTICATION_REQUIRED. ' +
      'Operations with the header If-None-Match may also return 304.</section>',
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

/**
 * The parameters and responses of many operations. The API documentation describes each of them only once, so that the
 * page remains small.
 */
const SHARED_PARAMETERS = ['X-Request-Id'];
const SHARED_RESPONSES = [
  'Unchanged',
  'INVALID_REQUEST',
  'AUTHENTICATION_REQUIRED',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'IDEMPOTENCY_KEY_REUSED',
];
/** The error codes of all operations with the header Idempotency-Key. The page lists them only once. */
const IDEMPOTENCY_CODES = ['INVALID_IDEMPOTENCY_KEY', 'IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_ANSWER_GONE'];

function isShared(components: readonly string[], value: object): boolean {
  return '$ref' in value && components.includes(String(value.$ref).split('/').at(-1) ?? '');
}

function listOperations({ paths }: OpenApiDocument): readonly OperationEntry[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
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

function operationHtml(document: OpenApiDocument, { method, path, operation }: OperationEntry): string {
  const { operationId, summary, description = '' } = operation;
  const access = describeAccess(operation, document.security);
  const requestBody = resolveRequestBody(document, operation.requestBody);
  const parameters = (operation.parameters ?? [])
    .filter((parameter) => !isShared(SHARED_PARAMETERS, parameter))
    .map((parameter) => ('$ref' in parameter ? parameterLink(document, parameter.$ref) : parameterRow(parameter)));
  const responses = Object.entries(operation.responses)
    .filter(([status, response]) => status !== 'default' && !isShared(SHARED_RESPONSES, response))
    .map(([status, response]) => [status, resolveResponse(document, response)] as const);
  return (
    `<details id="${escapeHtml(operationId)}"><summary>` +
    // The value needs no quotation marks. Without them, the page remains small.
    `<b class=${escapeHtml(method)}>${escapeHtml(method.toUpperCase())}</b> ` +
    `<span>${escapeHtml(path)}</span><h3>${escapeHtml(summary)}</h3></summary>` +
    `${paragraphsHtml(description)}${access === '' ? '' : `<p><i>${inlineHtml(access)}</i>`}` +
    (parameters.length > 0 ? `<h4>Parameters</h4>${listHtml(parameters)}` : '') +
    `${requestBody ? `<h4>Body</h4>${contentHtml(requestBody.content)}` : ''}` +
    `<h4>Responses</h4>${responsesHtml(responses)}</details>`
  );
}

/**
 * Renders a list of terms and their descriptions. The end tags of `dt`, `dd` and `p` are omitted, because they are
 * optional in HTML.
 */
function listHtml(entries: readonly string[]): string {
  return `<dl>${entries.join('')}</dl>`;
}

/** Renders the parameters that several operations share. Each parameter has an anchor, to which the operations link. */
function parametersHtml(parameters: OpenApiDocument['components']['parameters']): string {
  return listHtml(Object.entries(parameters).map(([name, parameter]) => parameterRow(parameter, name)));
}

function parameterRow(
  { name, in: where, schema, description }: ParameterObject,
  component: string | null = null,
): string {
  const anchor = component === null ? '' : ` id="p-${escapeHtml(component)}"`;
  return (
    `<dt${anchor}>${escapeHtml(name)} <i>${where}, ${typeHtml(schema)}</i>` +
    `<dd>${descriptionHtml(schema, description)}`
  );
}

/** Renders a link to a shared parameter, which describes where the parameter belongs. */
function parameterLink(document: OpenApiDocument, ref: string): string {
  const component = ref.split('/').at(-1) ?? '';
  const parameter = document.components.parameters[component];
  if (!parameter) throw new Error(`The API document refers to ${ref}, which does not exist`);
  return `<dt><a href="#p-${escapeHtml(component)}">${escapeHtml(parameter.name)}</a>`;
}

function contentHtml(content: Content): string {
  return joinHtml(Object.entries(content), ([type, { schema, example }]) => {
    const name = type === 'application/json' && schema ? '' : escapeHtml(type);
    const shown = schema ? `${name === '' ? '' : ': '}${typeHtml(schema)}` : '';
    const sample = example === undefined ? '' : `<pre>${escapeHtml(JSON.stringify(example, null, 1))}</pre>`;
    return `<p>${name}${shown}${sample}`;
  });
}

function findCommonResponse({ components }: OpenApiDocument): readonly [string, ResponseObject] {
  const response = components.responses[ANY_OPERATION_RESPONSE];
  if (!response) throw new Error(`The API document has no response ${ANY_OPERATION_RESPONSE}`);
  return ['4xx, 5xx', response];
}

function responsesHtml(responses: readonly (readonly [status: string, response: ResponseObject])[]): string {
  return listHtml(responses.map(([status, response]) => responseRow(status, response)));
}

function responseRow(status: string, { description, content = {}, headers = {} }: ResponseObject): string {
  const names = Object.keys(headers).map(escapeHtml);
  // The structure of error responses is omitted, because it is always the same. The description lists the error codes.
  const shown = Object.fromEntries(Object.entries(content).filter(([type]) => type !== 'application/problem+json'));
  const isError = Object.keys(content).join() === 'application/problem+json';
  const codes = isError ? description.replaceAll('`', '').split(', ') : [];
  const listed = codes.filter((code) => !IDEMPOTENCY_CODES.includes(code)).join(', ');
  if (isError && listed === '') return '';
  return (
    `<dt>${escapeHtml(status)}<dd>${isError ? listed : inlineHtml(description)}` +
    `${contentHtml(shown)}${names.length > 0 ? ` <i>${names.join(' ')}</i>` : ''}`
  );
}

function resolveResponse(
  { components }: OpenApiDocument,
  response: OperationObject['responses'][string],
): ResponseObject {
  if (!('$ref' in response)) return response;
  const found = components.responses[response.$ref.split('/').at(-1) ?? ''];
  if (!found) throw new Error(`The API document refers to ${response.$ref}, which does not exist`);
  return response.description === undefined ? found : { ...found, description: response.description };
}

function resolveRequestBody(
  { components }: OpenApiDocument,
  body: OperationObject['requestBody'],
): RequestBodyObject | undefined {
  return body && '$ref' in body ? components.requestBodies[body.$ref.split('/').at(-1) ?? ''] : body;
}
