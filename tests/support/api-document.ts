import { openApiDocument, type JsonSchema, type OperationObject, type ResponseObject } from '@alpenglow/domain/api';
import formats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** The API document as a judge of answers: what it does not describe is a fault. */

export const apiDocument = openApiDocument({ version: 'test' });

/** A call as the document has it. */
export interface DocumentedCall {
  readonly method: string;
  /** As in the document, e.g. `/ads/{id}`. */
  readonly path: string;
  readonly operation: OperationObject;
}

/** An answer as it came over the wire. `text` is null where it was not read. */
export interface SeenAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly text: string | null;
}

export const documentedCalls: readonly DocumentedCall[] = Object.entries(apiDocument.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
// The package's types do not know how it is exported.
(formats as unknown as (validator: Ajv2020) => unknown)(ajv);
const ID = 'openapi.json';
ajv.addSchema({ ...apiDocument, $id: ID });
const validators = new Map<string, ValidateFunction>();

/** Validates against a place in the document, by its JSON pointer. */
export function validatorAt(pointer: string): ValidateFunction {
  const known = validators.get(pointer);
  if (known) return known;
  const made = ajv.compile({ $ref: `${ID}#${pointer}` });
  validators.set(pointer, made);
  return made;
}

/** A name as a part of a JSON pointer in a reference. */
export function pointed(...names: readonly string[]): string {
  return names.map((name) => `/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');
}

/** The call a request is, fixed paths before those with parameters; null where the document has none. */
export function callOf(method: string, url: string): DocumentedCall | null {
  const path = url.replace(/[?#].*$/su, '').replace(/^\/api(?=\/|$)/u, '');
  const asMethod = method === 'HEAD' ? 'GET' : method;
  const fitting = documentedCalls.filter((call) => call.method === asMethod && fits(call.path, path));
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
 * What is wrong with an answer by the document: a status, type, field or code it does not have, or a field that is missing. A path that is no
 * call can only be refused. Empty when all is well.
 */
export function faultsOf(method: string, url: string, answer: SeenAnswer): string[] {
  const call = callOf(method, url);
  if (answer.headers.get('x-request-id') === null) return ['no X-Request-Id'];
  if (!call) return faultsOfNoCall(method, url, answer);
  const response = call.operation.responses[String(answer.status)];
  if (!response) return [`the status ${answer.status} is not documented`];
  const isShared = '$ref' in response;
  const at = isShared
    ? decodeURIComponent(response.$ref.slice(1))
    : pointed('paths', call.path, call.method.toLowerCase(), 'responses', String(answer.status));
  const described = isShared
    ? (apiDocument.components.responses[response.$ref.split('/').at(-1) ?? ''] ?? null)
    : response;
  return described === null ? [`${at} is not there`] : contentFaults(described, at, method, answer);
}

/** What stands before every call refuses some requests before it is known that there is no such call. */
const BEFORE_CALLS = new Set<unknown>([
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

/** Another path is not found, another method of a path not allowed. */
function faultsOfNoCall(method: string, url: string, { status, headers, text }: SeenAnswer): string[] {
  // Without a body nothing tells which refusal it is.
  if (method === 'HEAD') return status >= 400 && status < 500 ? [] : [`${status} where there is no such call`];
  const refusal = schemaFaults(pointed('components', 'schemas', 'ErrorAnswer'), text);
  if (refusal.length === 0 && BEFORE_CALLS.has((JSON.parse(text ?? '') as { code: unknown }).code)) return [];
  const [code, expected] = ['GET', 'POST', 'PUT', 'DELETE'].some((other) => callOf(other, url))
    ? (['METHOD_NOT_ALLOWED', 405] as const)
    : (['NOT_FOUND', 404] as const);
  if (status !== expected) return [`${status} where there is no such call, which is ${expected}`];
  return contentFaults(
    apiDocument.components.responses[code] ?? { description: '' },
    pointed('components', 'responses', code),
    method,
    { status, headers, text },
  );
}

function contentFaults(
  { content = {}, headers = {} }: ResponseObject,
  at: string,
  method: string,
  { status, headers: sent, text }: SeenAnswer,
): string[] {
  const undocumented = OUR_HEADERS.filter((name) => isOurs(sent.get(name)) && headers[name] === undefined).map(
    (name) => `the header ${name} is not documented`,
  );
  const type = (sent.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (Object.keys(content).length === 0)
    return text === null || text === '' ? undocumented : [...undocumented, 'a body where none is documented'];
  const described = content[type];
  if (!described) return [...undocumented, `the type ${type || 'none'} is not documented`];
  if ((status === 429 || status === 503) && sent.get('retry-after') === null)
    undocumented.push(`${status} without Retry-After`);
  if (method === 'HEAD' || text === null || described.schema === undefined) return undocumented;
  return [...undocumented, ...schemaFaults(`${at}${pointed('content', type, 'schema')}`, text)];
}

/** Headers that are part of what we promise, beside those of HTTP itself. */
const OUR_HEADERS = [
  'ETag',
  'X-Position',
  'Location',
  'Content-Range',
  'Accept-Ranges',
  'Retry-After',
  'Idempotency-Replayed',
];

/** Express adds a weak `ETag` to whatever it sends, which promises nothing. */
const isOurs = (value: string | null) => value !== null && !value.startsWith('W/');

function schemaFaults(pointer: string, text: string | null): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '');
  } catch {
    return [`no JSON: ${String(text).slice(0, 80)}`];
  }
  const validate = validatorAt(pointer);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath || 'the answer'} ${message ?? ''} ${JSON.stringify(params)}`,
  );
}

/** Told of every answer that was found right: what it was, and its schema in the document. */
export type AnswerListener = (schema: JsonSchema, body: unknown) => void;
const listeners = new Set<AnswerListener>();

/** Hears of answers from now on; call what comes back to hear no more. */
export function onAnswer(listener: AnswerListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(method: string, url: string, { status, headers, text }: SeenAnswer): void {
  const response = callOf(method, url)?.operation.responses[String(status)];
  if (listeners.size === 0 || !response || text === null || text === '') return;
  const described =
    '$ref' in response ? apiDocument.components.responses[response.$ref.split('/').at(-1) ?? ''] : response;
  const schema = described?.content?.[(headers.get('content-type') ?? '').split(';')[0] ?? '']?.schema;
  if (schema) for (const listener of listeners) listener(schema, JSON.parse(text));
}

/** Throws with everything that is wrong with an answer; paths that are not the API's are nobody's promise. */
export function expectDocumented(method: string, url: string, answer: SeenAnswer): void {
  if (!/^\/api(?:[/?]|$)/u.test(url)) return;
  const faults = faultsOf(method, url, answer);
  if (faults.length === 0) tell(method, url, answer);
  else
    throw new Error(
      `${method} ${url.replace(/\?.*$/su, '?…')} answered ${answer.status} against openapi.yaml:\n  ${faults.join('\n  ')}\n  ${(answer.text ?? '').slice(0, 600)}`,
    );
}
