import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ERRORS } from '@alpenglow/domain';
import {
  getComponentName,
  getErrorCodes,
  OPERATIONS,
  REQUEST_SCHEMAS,
  RESPONSE_SCHEMAS,
  UNMATCHED_REQUEST_ERRORS,
  type JsonBody,
  type Operation,
} from '@alpenglow/domain/api';
import { hasIdempotencyKey } from '../../infra/src/http/idempotency.ts';
import { createOpenApiYaml } from '@alpenglow/query-api/openapi';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import {
  apiDocument,
  documentedOperations,
  errorCodesOf,
  resolveResponse,
  responseViolationsOf,
  parameterSchemaAt,
  requestBodyAt,
  jsonPointerOf,
  validatorAt,
} from '../support/api-document.ts';

/**
 * Tests the API document without a running product. `tests/integration/openapi.test.ts` compares the running product
 * with the document.
 */

const root = path.resolve(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };

it('openapi.yaml is up to date (npm run openapi updates it)', () => {
  expect(readFileSync(path.join(root, 'openapi.yaml'), 'utf8')).toBe(createOpenApiYaml(version));
});

describe('the API document', () => {
  /** Yields every object in the document with its JSON path. */
  function* objectsIn(value: unknown, at = ''): Generator<readonly [string, Readonly<Record<string, unknown>>]> {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) yield [at, value as Readonly<Record<string, unknown>>];
    for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, `${at}/${key}`);
  }

  it('is the same after it is written and parsed as YAML', () => {
    expect(parse(createOpenApiYaml('test'))).toEqual(JSON.parse(JSON.stringify(apiDocument)));
  });

  it('has no broken references', () => {
    const resolveReference = (ref: string) =>
      ref
        .slice(2)
        .split('/')
        .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], apiDocument);
    const refs = [...objectsIn(apiDocument)].flatMap(([, object]) =>
      typeof object['$ref'] === 'string' ? [object['$ref']] : [],
    );
    expect(refs.length).toBeGreaterThan(200);
    expect(refs.filter((ref) => resolveReference(ref) === undefined)).toEqual([]);
  });

  it('has only valid schemas of JSON Schema 2020-12', () => {
    const ajv = new Ajv2020();
    const schemas = [...objectsIn(apiDocument)].filter(([at]) => /\/schemas\/\w+$|\/schema$/u.test(at));
    expect(schemas.length).toBeGreaterThan(100);
    expect(schemas.filter(([, schema]) => ajv.validateSchema(schema) !== true).map(([at]) => at)).toEqual([]);
  });

  it('has unique operation ids', () => {
    const names = OPERATIONS.map(({ id }) => id);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(documentedOperations).toHaveLength(OPERATIONS.length);
  });

  test.each(OPERATIONS)(
    'describes the path parameters of $id with valid examples',
    ({ path: template, pathParameters, queryParameters, method }) => {
      expect(Object.keys(pathParameters)).toEqual([...template.matchAll(/\{(\w+)\}/gu)].map(([, name]) => name));
      for (const [name, { example }] of Object.entries({ ...pathParameters, ...queryParameters })) {
        const index = [...Object.keys(pathParameters), ...Object.keys(queryParameters)].indexOf(name);
        expect(validatorAt(parameterSchemaAt(method, template, index))(example), `${name}: ${example}`).toBe(true);
      }
    },
  );

  test.each(OPERATIONS.filter(({ method }) => method !== 'GET'))(
    'lists Idempotency-Key for $id if the operation uses it',
    ({ method, path: template, headers }) => {
      const request = {
        method,
        originalUrl: `/api${template}`,
        get: (name: string) => (name === 'idempotency-key' ? 'key' : undefined),
      } as unknown as Parameters<typeof hasIdempotencyKey>[0];
      expect(headers.includes('Idempotency-Key')).toBe(hasIdempotencyKey(request));
    },
  );

  test.each(OPERATIONS)('describes the failure message of $method $path: $failure', ({ id, failureMessage }) => {
    const description =
      documentedOperations.find(({ operation }) => operation.operationId === id)?.operation.description ?? '';
    if (failureMessage === null) expect(description).not.toContain('If the server fails');
    else expect(description).toContain(`\`message\` is \`${failureMessage.replace('{message}', '{error}')}\``);
  });

  it('has no unused schemas', () => {
    const text = JSON.stringify(apiDocument);
    expect(
      [...RESPONSE_SCHEMAS.keys(), ...REQUEST_SCHEMAS.keys()].filter(
        (name) => !text.includes(`"#/components/schemas/${name}"`),
      ),
    ).toEqual([]);
  });
});

describe('the error catalogue', () => {
  const documented = new Set([...OPERATIONS.flatMap(getErrorCodes), ...UNMATCHED_REQUEST_ERRORS]);

  test.each(Object.keys(ERRORS))('contains the documented code %s', (code) => {
    expect([...documented]).toContain(code);
  });

  test.each(documentedOperations)('contains every error of $method $path with the same status', ({ operation }) => {
    for (const [status, response] of Object.entries(operation.responses)) {
      // The default response has errors of several statuses, so it is not checked here.
      if (status === 'default') continue;
      const described = resolveResponse(response) ?? { description: '' };
      for (const code of errorCodesOf(described)) expect(String(ERRORS[code].status), code).toBe(status);
    }
  });

  test.each(OPERATIONS)('has every error of $method $path in the document', ({ method, path: template, ...rest }) => {
    const responses = Object.values(apiDocument.paths[template]?.[method.toLowerCase()]?.responses ?? {});
    const described = responses.flatMap((response) => errorCodesOf(resolveResponse(response) ?? { description: '' }));
    const codes = [...getErrorCodes({ ...rest, method, path: template }), ...UNMATCHED_REQUEST_ERRORS];
    expect(new Set(described)).toEqual(new Set(codes));
  });
});

describe('a request body', () => {
  const withJson = OPERATIONS.flatMap((operation) =>
    operation.body?.kind === 'json' ? [{ ...operation, body: operation.body }] : [],
  );
  const documentValidatorOf = ({ method, path: template }: Operation) =>
    validatorAt(`${requestBodyAt(method, template)}${jsonPointerOf('content', 'application/json', 'schema')}`);
  const requiredOf = ({ schema }: JsonBody) => {
    const name = getComponentName(schema) ?? '';
    return (apiDocument.components.schemas[name]?.['required'] ?? []) as readonly string[];
  };

  test.each(withJson)('of $id has an example that the document and the handler accept', (operation) => {
    expect(documentValidatorOf(operation)(operation.body.example)).toBe(true);
    expect(operation.body.schema.safeParse(operation.body.example).success).toBe(true);
  });

  test.each(withJson)('of $id without a required field is rejected by the document and the handler', (operation) => {
    for (const name of requiredOf(operation.body)) {
      const { [name]: _left, ...rest } = operation.body.example;
      expect(documentValidatorOf(operation)(rest), name).toBe(false);
      expect(operation.body.schema.safeParse(rest).success, name).toBe(false);
    }
  });
});

describe('responseViolationsOf', () => {
  const headers = (type: string, more: Record<string, string> = {}) =>
    new Headers({ 'content-type': type, 'x-request-id': 'test-0001', ...more });
  const health = { success: true, status: 'ok', version: '1', time: '2026-01-01T00:00:00.000Z' };
  const error = {
    success: false,
    error: 'Ad not found',
    message: 'Ad not found',
    code: 'AD_NOT_FOUND',
    title: 'Not Found',
    status: 404,
    requestId: 'test-0001',
  };
  const violationsOfGet = (
    url: string,
    status: number,
    body: unknown,
    {
      type = status < 400 ? 'application/json' : 'application/problem+json',
      more = {},
    }: { type?: string; more?: Record<string, string> } = {},
  ) =>
    responseViolationsOf('GET', url, {
      status,
      headers: headers(type, more),
      text: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('returns no violations for a valid response', () => {
    expect(violationsOfGet('/api/health', 200, health)).toEqual([]);
    expect(violationsOfGet('/api/ads/17?x=1', 404, error)).toEqual([]);
    expect(violationsOfGet('/api/nowhere', 404, { ...error, code: 'NOT_FOUND' })).toEqual([]);
    expect(violationsOfGet('/api/ads/17/bump', 405, { ...error, code: 'METHOD_NOT_ALLOWED', status: 405 })).toEqual([]);
  });

  test.each([
    [
      'an additional field',
      violationsOfGet('/api/health', 200, { ...health, secret: 1 }),
      /additional properties.*secret/u,
    ],
    [
      'a missing field',
      violationsOfGet('/api/health', 200, { success: true, status: 'ok', version: '1' }),
      /required.*time/u,
    ],
    ['a wrong type', violationsOfGet('/api/health', 200, { ...health, version: 1 }), /version must be string/u],
    ['an invalid value', violationsOfGet('/api/health', 200, { ...health, status: 'fine' }), /status must be equal/u],
    ['an invalid time', violationsOfGet('/api/health', 200, { ...health, time: 'noon' }), /time must match format/u],
    ['a body that is not JSON', violationsOfGet('/api/health', 200, '{'), /not JSON/u],
    ['an undocumented status', violationsOfGet('/api/health', 201, health), /status 201/u],
    [
      'an undocumented content type',
      violationsOfGet('/api/health', 200, health, { type: 'text/html' }),
      /type text\/html/u,
    ],
    [
      'an undocumented header',
      violationsOfGet('/api/health', 200, health, { more: { 'x-position': '1' } }),
      /header X-Position/u,
    ],
    [
      'the error code of another operation',
      violationsOfGet('/api/ads/17', 404, { ...error, code: 'USER_NOT_FOUND' }),
      /code must be equal/u,
    ],
    [
      'a general error with the status of another one',
      violationsOfGet('/api/ads/17', 500, { ...error, code: 'INVALID_REQUEST', status: 500 }),
      /INVALID_REQUEST is not documented for the status 500/u,
    ],
    [
      'an error of a body for an operation without a body',
      violationsOfGet('/api/ads/17', 413, { ...error, code: 'BODY_TOO_LARGE', status: 413 }),
      /status 413/u,
    ],
    [
      'an unknown error code',
      violationsOfGet('/api/ads/17', 404, { ...error, code: 'NOBODY_USES_THIS' }),
      /code must be equal/u,
    ],
    [
      'an error that is not a problem document',
      violationsOfGet('/api/ads/17', 404, error, { type: 'application/json' }),
      /type application\/json/u,
    ],
    [
      'status 429 without Retry-After',
      violationsOfGet('/api/ads/17', 429, { ...error, code: 'RATE_LIMITED' }),
      /Retry-After/u,
    ],
    ['an unknown operation', violationsOfGet('/api/nowhere', 200, health), /unknown operation/u],
    [
      'status 404 instead of 405 for another method',
      violationsOfGet('/api/ads/17/bump', 404, { ...error, code: 'NOT_FOUND' }),
      /405/u,
    ],
    [
      'a missing request id',
      responseViolationsOf('GET', '/api/health', {
        status: 200,
        headers: new Headers({ 'content-type': 'application/json' }),
        text: JSON.stringify(health),
      }),
      /X-Request-Id/u,
    ],
  ])('reports %s', (_name, violations, pattern) => {
    expect(violations.join('\n')).toMatch(pattern);
  });

  it('reports an additional field in a nested object', () => {
    expect(
      violationsOfGet('/api/sync/status', 200, {
        success: true,
        data: {
          head: '1',
          projections: [{ name: 'a', position: '1', lag: 0, state: 'live', cause: null, since: null, extra: 1 }],
          consumers: [],
        },
      }).join(),
    ).toMatch(/additional properties.*extra/u);
  });
});
