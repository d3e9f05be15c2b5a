import { createHash } from 'node:crypto';
import type { Content, OpenApiDocument, OperationObject, ParameterObject, ResponseObject } from '@alpenglow/domain/api';
import { each, escaped, paragraphs, prose } from './html.ts';
import { schemasHtml, typeHtml, wordsHtml } from './schema-html.ts';
import { STYLE } from './style.ts';

interface Call {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

/** Nothing is loaded but the page itself, and nothing runs in it. */
export const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The API document as a page for people: one HTML file without scripts. */
export function docsPage(document: OpenApiDocument): string {
  const { info, tags } = document;
  const calls = callsOf(document);
  const ofTag = (tag: string) => calls.filter(({ operation }) => operation.tags.includes(tag));
  const title = escaped(String(info['title']));
  const index = each(tags, ({ name }) => `<strong>${escaped(name)}</strong><ul>${each(ofTag(name), indexEntry)}</ul>`);
  const sections = each(
    tags,
    ({ name, description }) =>
      `<section><h2>${escaped(name)}</h2><p class="muted">${prose(description)}</p>${each(ofTag(name), (call) => callHtml(document, call))}</section>`,
  );
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${STYLE}</style></head><body>` +
    `<a class="skip" href="#calls">To the calls</a><div class="frame"><nav aria-label="Calls"><details class="index" open><summary>All calls</summary>${index}<strong>Schemas</strong><ul><li><a href="#schemas">All schemas</a></li></ul></details></nav>` +
    `<main id="calls"><h1>${title}</h1><p class="muted">Version ${escaped(String(info['version']))}. For programs: <a href="/api/docs/openapi.yaml">openapi.yaml</a>, OpenAPI 3.1.</p>` +
    `${paragraphs(String(info['description']))}${sections}<section id="schemas"><h2>Schemas</h2>${schemasHtml(document)}</section></main></div></body></html>`
  );
}

function callsOf({ paths }: OpenApiDocument): readonly Call[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
}

function indexEntry({ operation }: Call): string {
  return `<li><a href="#${escaped(operation.operationId)}">${escaped(operation.summary)}</a></li>`;
}

function accessWords({ tags, security }: OperationObject): string {
  if (tags.includes('Admin')) return 'Needs the session of an admin.';
  if (security.length === 0) return 'Open to everybody.';
  if (security.some((one) => Object.keys(one).length === 0))
    return 'Open to everybody; with a session, it may tell more.';
  return security.some((one) => 'statement' in one)
    ? 'Needs a session, or the token of a mail about a decision in `X-Statement-Token`.'
    : 'Needs a session.';
}

function callHtml(document: OpenApiDocument, { method, path, operation }: Call): string {
  const { operationId, summary, description = '', requestBody } = operation;
  const parameters = (operation.parameters ?? []).map((parameter) => parameterOf(document, parameter));
  return (
    `<details class="call" id="${escaped(operationId)}"><summary><span class="method ${escaped(method)}">${escaped(method.toUpperCase())}</span> <span class="path">${escaped(path)}</span><br><h3>${escaped(summary)}</h3></summary>` +
    `<div class="inside">${paragraphs(description)}<p class="muted">${prose(accessWords(operation))}</p>${parametersHtml(parameters)}${requestBody ? `<h4>Body</h4>${contentHtml(requestBody.content)}` : ''}` +
    `<h4>Answers</h4><div class="fields"><table><tbody>${each(Object.entries(operation.responses), ([status, response]) => responseHtml(status, responseOf(document, response)))}</tbody></table></div></div></details>`
  );
}

function parametersHtml(parameters: readonly ParameterObject[]): string {
  if (parameters.length === 0) return '';
  const row = (parameter: ParameterObject) =>
    `<tr><td><code>${escaped(parameter.name)}</code> <span class="muted">${parameter.in}</span></td><td>${typeHtml(parameter.schema)}</td><td>${wordsHtml(parameter.schema, parameter.description)}</td></tr>`;
  return `<h4>Parameters</h4><div class="fields"><table><tbody>${each(parameters, row)}</tbody></table></div>`;
}

function contentHtml(content: Content): string {
  return each(Object.entries(content), ([type, { schema, example }]) => {
    const shown = schema ? `: ${typeHtml(schema)}` : '';
    return `<p><code>${escaped(type)}</code>${shown}</p>${example === undefined ? '' : `<pre><code>${escaped(JSON.stringify(example, null, 2))}</code></pre>`}`;
  });
}

/** The header every answer has. */
const EVERYWHERE = 'X-Request-Id';

function responseHtml(status: string, { description, content = {}, headers = {} }: ResponseObject): string {
  const told = Object.keys(headers)
    .filter((name) => name !== EVERYWHERE)
    .map((name) => `<code>${escaped(name)}</code>`);
  // What a refusal looks like is the same everywhere; its codes stand in the description.
  const shown = Object.fromEntries(Object.entries(content).filter(([type]) => type !== 'application/problem+json'));
  return `<tr><td><code>${escaped(status)}</code></td><td>${paragraphs(description)}${contentHtml(shown)}${told.length > 0 ? `<p class="muted">${told.join(' ')}</p>` : ''}</td></tr>`;
}

function parameterOf(
  { components }: OpenApiDocument,
  parameter: NonNullable<OperationObject['parameters']>[number],
): ParameterObject {
  if (!('$ref' in parameter)) return parameter;
  const found = components.parameters[parameter.$ref.split('/').at(-1) ?? ''];
  if (!found) throw new Error(`The API document refers to ${parameter.$ref}, which is not there`);
  return found;
}

function responseOf({ components }: OpenApiDocument, response: OperationObject['responses'][string]): ResponseObject {
  if (!('$ref' in response)) return response;
  const found = components.responses[response.$ref.split('/').at(-1) ?? ''];
  if (!found) throw new Error(`The API document refers to ${response.$ref}, which is not there`);
  return found;
}
