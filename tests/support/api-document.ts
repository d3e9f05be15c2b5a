import {
  createOpenApiDocument,
  UNMATCHED_REQUEST_ERRORS,
  type JsonSchema,
  type OperationObject,
  type ResponseObject,
} from '@alpenglow/domain/api';
import { ERRORS, type ErrorCode } from '@alpenglow/domain';
import formats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/**
 * Checks API responses against openapi.yaml, which is called the API document here. A response that the document does
 * not describe is an error.
 */

export const apiDocument = createOpenApiDocument({ version: 'test' });

/** An operation of the API document. */
export interface DocumentedOperation {
  readonly method: string;
  /** Path in the API document, e.g. `/ads/{id}`. */
  readonly path: string;
  readonly operation: OperationObject;
}

/** A response of the product. `text` is null if the body was not read. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly text: string | null;
}

export const documentedOperations: readonly DocumentedOperation[] = Object.entries(apiDocument.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
// The cast is necessary, because the declared types of this package are incorrect.
(formats as unknown as (validator: Ajv2020) => unknown)(ajv);
const ID = 'openapi.json';
ajv.addSchema({ ...apiDocument, $id: ID });
const validators = new Map<string, ValidateFunction>();

/** Returns the validator of a schema. `pointer` is the JSON pointer to the schema in the API document. */
export function validatorAt(pointer: string): ValidateFunction {
  const known = validators.get(pointer);
  if (known) return known;
  const made = ajv.compile({ $ref: `${ID}#${pointer}` });
  validators.set(pointer, made);
  return made;
}

/**
 * Joins names to a JSON pointer, e.g. `/components/schemas/AdView`. Escapes the pointer so that a `$ref` can contain
 * it.
 */
export function jsonPointerOf(...names: readonly string[]): string {
  return names.map((name) => `/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');
}

/**
 * Returns the JSON pointer to the request body of an operation. If the body is a shared component, the pointer leads to
 * that component.
 */
export function requestBodyAt(method: string, path: string): string {
  const body = apiDocument.paths[path]?.[method.toLowerCase()]?.requestBody;
  return body && '$ref' in body
    ? body.$ref.slice(1)
    : jsonPointerOf('paths', path, method.toLowerCase(), 'requestBody');
}

/**
 * Returns the JSON pointer to the schema of a parameter. If the parameter is a shared component, the pointer leads into
 * that component.
 */
export function parameterSchemaAt(method: string, path: string, index: number): string {
  const parameter = apiDocument.paths[path]?.[method.toLowerCase()]?.parameters?.[index];
  return parameter && '$ref' in parameter
    ? `${parameter.$ref.slice(1)}/schema`
    : `${jsonPointerOf('paths', path, method.toLowerCase(), 'parameters')}/${index}/schema`;
}

/**
 * Returns the operation that a request belongs to, or null. A path without parameters takes precedence over a path with
 * parameters.
 */
export function operationOf(method: string, url: string): DocumentedOperation | null {
  const path = url.replace(/[?#].*$/su, '').replace(/^\/api(?=\/|$)/u, '');
  const asMethod = method === 'HEAD' ? 'GET' : method;
  const fitting = documentedOperations.filter((call) => call.method === asMethod && fits(call.path, path));
  return fitting.sort((a, b) => parameterCount(a.path) - parameterCount(b.path))[0] ?? null;
}

function fits(template: string, path: string): boolean {
  const [ours, theirs] = [template, path].map((text) => text.replaceAll(/^\/|\/$/gu, '').split('/'));
  return (
    ours?.length === theirs?.length &&
    (ours ?? []).every((part, index) => (part.startsWith('{') ? theirs?.[index] !== '' : part === theirs?.[index]))
  );
}

const parameterCount = (path: string) => path.split('{').length;

/**
 * Returns the deviations of a response from the API document. Examples are an undocumented status, type, field or error
 * code, and a missing field. An unknown path may only return an error. The list is empty for a valid response.
 */
export function responseViolationsOf(method: string, url: string, response: ReceivedResponse): string[] {
  const call = operationOf(method, url);
  if (response.headers.get('x-request-id') === null) return ['no X-Request-Id'];
  if (!call) return unknownOperationViolations(method, url, response);
  const { responses } = call.operation;
  const status = responses[String(response.status)] ? String(response.status) : 'default';
  const responseObject = responses[status];
  if (!responseObject) return ['the default response is not documented'];
  const isShared = '$ref' in responseObject;
  const at = isShared
    ? decodeURIComponent(responseObject.$ref.slice(1))
    : jsonPointerOf('paths', call.path, call.method.toLowerCase(), 'responses', status);
  const described = resolveResponse(responseObject);
  if (described === null) return [`${at} does not exist`];
  if (status !== 'default') return contentViolations(described, at, method, response);
  const codes = errorCodesOf(described).filter(
    (code) => ERRORS[code].status === response.status && !UNMATCHED_REQUEST_ERRORS.includes(code),
  );
  if (codes.length === 0) return [`the status ${response.status} is not documented`];
  const violations = contentViolations(described, at, method, response);
  if (violations.length > 0 || method === 'HEAD' || response.text === null) return violations;
  const { code } = JSON.parse(response.text) as { readonly code: ErrorCode };
  return codes.includes(code) ? [] : [`the code ${code} is not documented for the status ${response.status}`];
}

/** Returns the response to which a reference leads, or null if it does not exist. */
export function resolveResponse(response: OperationObject['responses'][string]): ResponseObject | null {
  if (!('$ref' in response)) return response;
  return apiDocument.components.responses[response.$ref.split('/').at(-1) ?? ''] ?? null;
}

/** Returns the error codes that a response of the API document lists. */
export function errorCodesOf({ content }: ResponseObject): readonly ErrorCode[] {
  const schema = content?.['application/problem+json']?.schema as
    | { readonly properties: { readonly code: { readonly enum: readonly ErrorCode[] } } }
    | undefined;
  return schema?.properties.code.enum ?? [];
}

/**
 * Error codes that the API can return before it determines the operation of a request. Requests to unknown paths may
 * therefore return these codes too.
 */
const PRECEDING_ERROR_CODES = new Set<unknown>([
  'RATE_LIMITED',
  'INVALID_REQUEST',
  'AUTHENTICATION_REQUIRED',
  'INVALID_JSON',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'INVALID_IDEMPOTENCY_KEY',
  'IDEMPOTENCY_KEY_REUSED',
  'IDEMPOTENCY_IN_PROGRESS',
  'IDEMPOTENCY_ANSWER_GONE',
]);

/**
 * Checks the response to a request that belongs to no operation of the API document. The status must be 405 if the path
 * supports other methods, and 404 otherwise.
 */
function unknownOperationViolations(
  method: string,
  url: string,
  { status, headers, text }: ReceivedResponse,
): string[] {
  // The tus protocol describes its calls at this address, which are no operations.
  if (method === 'OPTIONS' && status === 204 && headers.get('tus-version') !== null)
    return operationOf('PATCH', url) ? [] : ['204 for a path without resumable uploads'];
  // A response to HEAD has no body, so only its status is checked.
  if (method === 'HEAD') return status >= 400 && status < 500 ? [] : [`${status} for an unknown operation`];
  const errorSchemaViolations = schemaViolations(jsonPointerOf('components', 'schemas', 'ErrorAnswer'), text);
  if (
    errorSchemaViolations.length === 0 &&
    PRECEDING_ERROR_CODES.has((JSON.parse(text ?? '') as { code: unknown }).code)
  )
    return [];
  const [code, expected] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].some((other) => operationOf(other, url))
    ? (['METHOD_NOT_ALLOWED', 405] as const)
    : (['NOT_FOUND', 404] as const);
  if (status !== expected) return [`${status} for an unknown operation instead of ${expected}`];
  const violations = contentViolations(
    apiDocument.components.responses['AnyOperation'] ?? { description: '' },
    jsonPointerOf('components', 'responses', 'AnyOperation'),
    method,
    { status, headers, text },
  );
  const isCode = violations.length > 0 || (JSON.parse(text ?? '') as { code: unknown }).code === code;
  return isCode ? violations : [...violations, `another code than ${code}`];
}

function contentViolations(
  { content = {}, headers = {} }: ResponseObject,
  at: string,
  method: string,
  { status, headers: sent, text }: ReceivedResponse,
): string[] {
  const undocumented = CONTRACT_HEADERS.filter(
    (name) => isContractHeader(sent.get(name)) && headers[name] === undefined,
  ).map((name) => `the header ${name} is not documented`);
  const type = (sent.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (Object.keys(content).length === 0)
    return text === null || text === '' ? undocumented : [...undocumented, 'a body where none is documented'];
  const described = content[type];
  if (!described) return [...undocumented, `the type ${type || 'none'} is not documented`];
  if ((status === 429 || status === 503) && sent.get('retry-after') === null)
    undocumented.push(`${status} without Retry-After`);
  if (method === 'HEAD' || text === null || described.schema === undefined) return undocumented;
  return [...undocumented, ...schemaViolations(`${at}${jsonPointerOf('content', type, 'schema')}`, text)];
}

/** Headers that the API document must describe if a response contains them. */
const CONTRACT_HEADERS = [
  'ETag',
  'X-Position',
  'Location',
  'Content-Range',
  'Accept-Ranges',
  'Retry-After',
  'Idempotency-Replayed',
];

/**
 * Returns false for a missing header and for a weak `ETag`. Express adds weak `ETag` headers itself, so they are not
 * part of the API contract.
 */
const isContractHeader = (value: string | null) => value !== null && !value.startsWith('W/');

function schemaViolations(pointer: string, text: string | null): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '');
  } catch {
    return [`not JSON: ${String(text).slice(0, 80)}`];
  }
  const validate = validatorAt(pointer);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath || 'the response'} ${message ?? ''} ${JSON.stringify(params)}`,
  );
}

/** Function that receives the schema and the body of every valid response. */
export type ResponseListener = (schema: JsonSchema, body: unknown) => void;
const listeners = new Set<ResponseListener>();

/** Registers a listener for valid responses. Returns a function that unregisters the listener. */
export function onValidResponse(listener: ResponseListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notifyListeners(method: string, url: string, { status, headers, text }: ReceivedResponse): void {
  const responseObject = operationOf(method, url)?.operation.responses[String(status)];
  if (listeners.size === 0 || !responseObject || text === null || text === '') return;
  const schema =
    resolveResponse(responseObject)?.content?.[(headers.get('content-type') ?? '').split(';')[0] ?? '']?.schema;
  if (schema) for (const listener of listeners) listener(schema, JSON.parse(text));
}

/** Throws an error that lists all deviations of a response from the API document. Ignores paths outside the API. */
export function expectDocumented(method: string, url: string, response: ReceivedResponse): void {
  if (!/^\/api(?:[/?]|$)/u.test(url)) return;
  const violations = responseViolationsOf(method, url, response);
  if (violations.length === 0) notifyListeners(method, url, response);
  else
    throw new Error(
      `${method} ${url.replace(/\?.*$/su, '?…')} returned ${response.status}, which does not match openapi.yaml:\n` +
        `  ${violations.join('\n  ')}\n  ${(response.text ?? '').slice(0, 600)}`,
    );
}
