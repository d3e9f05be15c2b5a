import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CALLS, ERRORS } from '@alpenglow/domain';
import {
  ANSWERS,
  BODIES,
  errorsOf,
  OF_NO_CALL,
  OPERATIONS,
  type JsonBody,
  type Operation,
} from '@alpenglow/domain/api';
import { isKeyed } from '../../infra/src/http/idempotency.ts';
import { openApiYaml } from '@alpenglow/query-api/openapi';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { apiDocument, documentedCalls, faultsOf, pointed, validatorAt } from '../support/api-document.ts';

/** The API document, by itself. What the running product makes of it is in `tests/integration/openapi.test.ts`. */

const root = path.resolve(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };

it('openapi.yaml is what the table of calls makes (npm run openapi writes it anew)', () => {
  expect(readFileSync(path.join(root, 'openapi.yaml'), 'utf8')).toBe(openApiYaml(version));
});

describe('is sound', () => {
  /** Every object in the document, with its place. */
  function* objectsIn(value: unknown, at = ''): Generator<readonly [string, Readonly<Record<string, unknown>>]> {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) yield [at, value as Readonly<Record<string, unknown>>];
    for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, `${at}/${key}`);
  }

  it('is YAML that reads back the same', () => {
    expect(parse(openApiYaml('test'))).toEqual(JSON.parse(JSON.stringify(apiDocument)));
  });

  it('every reference leads somewhere', () => {
    const lead = (ref: string) =>
      ref
        .slice(2)
        .split('/')
        .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], apiDocument);
    const refs = [...objectsIn(apiDocument)].flatMap(([, object]) =>
      typeof object['$ref'] === 'string' ? [object['$ref']] : [],
    );
    expect(refs.length).toBeGreaterThan(200);
    expect(refs.filter((ref) => lead(ref) === undefined)).toEqual([]);
  });

  it('every schema is one of JSON Schema 2020-12', () => {
    const ajv = new Ajv2020();
    const schemas = [...objectsIn(apiDocument)].filter(([at]) => /\/schemas\/\w+$|\/schema$/u.test(at));
    expect(schemas.length).toBeGreaterThan(100);
    expect(schemas.filter(([, schema]) => ajv.validateSchema(schema) !== true).map(([at]) => at)).toEqual([]);
  });

  it('operations have names of their own', () => {
    const names = OPERATIONS.map(({ id }) => id);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(documentedCalls).toHaveLength(OPERATIONS.length);
  });

  test.each(OPERATIONS)(
    '$id names the parts of its path, and its examples fit',
    ({ path: template, pathParameters, query, method }) => {
      expect(Object.keys(pathParameters)).toEqual([...template.matchAll(/\{(\w+)\}/gu)].map(([, name]) => name));
      for (const [name, { example }] of Object.entries({ ...pathParameters, ...query })) {
        const index = [...Object.keys(pathParameters), ...Object.keys(query)].indexOf(name);
        expect(
          validatorAt(`${pointed('paths', template, method.toLowerCase(), 'parameters')}/${index}/schema`)(example),
          `${name}: ${example}`,
        ).toBe(true);
      }
    },
  );

  test.each(OPERATIONS.filter(({ method }) => method !== 'GET'))(
    '$id names Idempotency-Key where a write goes by it',
    ({ method, path: template, headers }) => {
      const request = {
        method,
        path: template,
        get: (name: string) => (name === 'idempotency-key' ? 'key' : undefined),
      } as unknown as Parameters<typeof isKeyed>[0];
      expect(headers.includes('Idempotency-Key')).toBe(isKeyed(request));
    },
  );

  test.each(CALLS)('%s %s says in which words it fails: %s', (method, path, failure) => {
    const description =
      documentedCalls.find((call) => call.path === path && call.method.toUpperCase() === method)?.operation
        .description ?? '';
    if (failure === null) expect(description).not.toContain('no fault of yours');
    else expect(description).toContain(`\`message\` is \`${failure.replace('{message}', '{error}')}\``);
  });

  it('every named schema is used', () => {
    const text = JSON.stringify(apiDocument);
    expect(
      [...Object.keys(ANSWERS), ...Object.keys(BODIES)].filter(
        (name) => !text.includes(`"#/components/schemas/${name}"`),
      ),
    ).toEqual([]);
  });
});

describe('errors, in both directions', () => {
  const documented = new Set([...OPERATIONS.flatMap(errorsOf), ...OF_NO_CALL]);

  test.each(Object.keys(ERRORS))('%s is documented for some call', (code) => {
    expect([...documented]).toContain(code);
  });

  test.each(documentedCalls)(
    'what $method $path can be refused with is in the catalogue, under its status',
    ({ operation }) => {
      for (const [status, response] of Object.entries(operation.responses)) {
        const described =
          '$ref' in response ? apiDocument.components.responses[response.$ref.split('/').at(-1) ?? ''] : response;
        const schema = described?.content?.['application/problem+json']?.schema as
          | { properties: { code: { enum: (keyof typeof ERRORS)[] } } }
          | undefined;
        for (const code of schema?.properties.code.enum ?? []) expect(String(ERRORS[code].status), code).toBe(status);
      }
    },
  );
});

it('every call has its row among those that know what a failure is called, and no other', () => {
  expect(CALLS.map(([method, template]) => `${method} ${template}`).sort()).toEqual(
    OPERATIONS.map(({ method, path: template }) => `${method} ${template}`).sort(),
  );
});

describe('bodies', () => {
  const withJson = OPERATIONS.flatMap((operation) =>
    operation.body?.kind === 'json' ? [{ ...operation, body: operation.body }] : [],
  );
  const documentTakes = ({ method, path: template }: Operation) =>
    validatorAt(
      pointed('paths', template, method.toLowerCase(), 'requestBody', 'content', 'application/json', 'schema'),
    );
  const requiredOf = ({ schema }: JsonBody) => {
    const name = Object.entries(BODIES).find(([, one]) => one === schema)?.[0] ?? '';
    return (apiDocument.components.schemas[name]?.['required'] ?? []) as readonly string[];
  };

  test.each(withJson)(
    '$id: the example is taken, by the document and by the object the handler parses with',
    (operation) => {
      expect(documentTakes(operation)(operation.body.example)).toBe(true);
      expect(operation.body.schema.safeParse(operation.body.example).success).toBe(true);
    },
  );

  test.each(withJson)('$id: without a required field it is refused by both', (operation) => {
    for (const name of requiredOf(operation.body)) {
      const { [name]: _left, ...rest } = operation.body.example;
      expect(documentTakes(operation)(rest), name).toBe(false);
      expect(operation.body.schema.safeParse(rest).success, name).toBe(false);
    }
  });
});

describe('judging answers: what the document does not describe is found', () => {
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
  const judge = (
    url: string,
    status: number,
    body: unknown,
    {
      type = status < 400 ? 'application/json' : 'application/problem+json',
      more = {},
    }: { type?: string; more?: Record<string, string> } = {},
  ) =>
    faultsOf('GET', url, {
      status,
      headers: headers(type, more),
      text: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('a right answer has no fault', () => {
    expect(judge('/api/health', 200, health)).toEqual([]);
    expect(judge('/api/ads/17?x=1', 404, error)).toEqual([]);
    expect(judge('/api/nowhere', 404, { ...error, code: 'NOT_FOUND' })).toEqual([]);
    expect(judge('/api/ads/17/bump', 405, { ...error, code: 'METHOD_NOT_ALLOWED', status: 405 })).toEqual([]);
  });

  test.each([
    ['a field too many', judge('/api/health', 200, { ...health, secret: 1 }), /additional properties.*secret/u],
    ['a field too few', judge('/api/health', 200, { success: true, status: 'ok', version: '1' }), /required.*time/u],
    ['a wrong type', judge('/api/health', 200, { ...health, version: 1 }), /version must be string/u],
    ['a value that is none', judge('/api/health', 200, { ...health, status: 'fine' }), /status must be equal/u],
    ['a time that is none', judge('/api/health', 200, { ...health, time: 'noon' }), /time must match format/u],
    ['no JSON', judge('/api/health', 200, '{'), /no JSON/u],
    ['a status', judge('/api/health', 201, health), /status 201/u],
    ['a type', judge('/api/health', 200, health, { type: 'text/html' }), /type text\/html/u],
    ['a header', judge('/api/health', 200, health, { more: { 'x-position': '1' } }), /header X-Position/u],
    ['a code of another call', judge('/api/ads/17', 404, { ...error, code: 'USER_NOT_FOUND' }), /code must be equal/u],
    ['a code that is none', judge('/api/ads/17', 404, { ...error, code: 'NOBODY_USES_THIS' }), /code must be equal/u],
    [
      'a refusal that is no problem',
      judge('/api/ads/17', 404, error, { type: 'application/json' }),
      /type application\/json/u,
    ],
    ['429 that does not say how long', judge('/api/ads/17', 429, { ...error, code: 'RATE_LIMITED' }), /Retry-After/u],
    ['a call that is none', judge('/api/nowhere', 200, health), /no such call/u],
    ['another method taken for no path', judge('/api/ads/17/bump', 404, { ...error, code: 'NOT_FOUND' }), /405/u],
    [
      'no request id',
      faultsOf('GET', '/api/health', {
        status: 200,
        headers: new Headers({ 'content-type': 'application/json' }),
        text: JSON.stringify(health),
      }),
      /X-Request-Id/u,
    ],
  ])('%s', (_name, faults, words) => {
    expect(faults.join('\n')).toMatch(words);
  });

  it('a field deep inside', () => {
    expect(
      judge('/api/sync/status', 200, {
        success: true,
        data: { head: '1', projections: [{ name: 'a', position: '1', lag: 0, state: 'live', extra: 1 }] },
      }).join(),
    ).toMatch(/additional properties.*extra/u);
  });
});
