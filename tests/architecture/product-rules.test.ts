import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { newAdFields, updateAdFields } from '@alpenglow/domain';
import { OPERATIONS, type Operation } from '@alpenglow/domain/api';
import { describe, expect, test } from 'vitest';
import { findArea } from '../../shell/src/routes/owners.ts';

/** Compares rules of `docs/product` that list operations, fields or routes with the code. */

const folder = path.resolve(import.meta.dirname, '../../docs/product');
const documents = readdirSync(folder).map((name) => ({ name, text: readFileSync(path.join(folder, name), 'utf8') }));
const allText = documents.map(({ text }) => text).join('\n');

/** Returns the text of a rule, with the lists below it. */
function ruleText(id: string): string {
  const start = allText.indexOf(`- **${id}**`);
  if (start === -1) throw new Error(`${id} is not defined`);
  const [rule = ''] = allText.slice(start + 1).split(/\n(?=- \*\*|#|\n#)/u);
  return rule;
}

/** Replaces the names of parameters, which documents and declarations may choose differently. */
const normalize = (template: string) => template.replaceAll(/\{\w+\}/gu, '{}');
const operationOf = ({ method, path: template }: Pick<Operation, 'method' | 'path'>) =>
  `${method} ${normalize(template)}`;

/** Returns the operations in a text. `POST` and `DELETE /a` are two operations. */
function operationsIn(text: string): readonly string[] {
  return [
    ...text.matchAll(
      /((?:`(?:GET|POST|PUT|DELETE)`(?:, | and |,? or ))*)`(GET|POST|PUT|DELETE) (?:\/api)?(\/[^`\s?]*)[^`]*`/gu,
    ),
  ].flatMap(([, others = '', method = '', template = '']) =>
    [...others.matchAll(/[A-Z]+/gu)]
      .map(([other]) => other)
      .concat(method)
      .map((each) => `${each} ${normalize(template)}`),
  );
}

/** Operations of services that are not part of the product. */
const EXTERNAL_OPERATIONS: ReadonlySet<string> = new Set(['07-calls.md: POST /v1.0/email/send']);

test('R-6.9 lists exactly the operations that need no session', () => {
  const open = OPERATIONS.filter(({ access }) => access === 'none' || access === 'optional' || access === 'statement');
  expect(operationsIn(ruleText('R-6.9')).toSorted()).toEqual(open.map(operationOf).toSorted());
});

test('every operation that a rule names exists', () => {
  const known = new Set(OPERATIONS.map(operationOf));
  const named = documents.flatMap(({ name, text }) => operationsIn(text).map((operation) => `${name}: ${operation}`));
  expect(named.length).toBeGreaterThan(80);
  expect(named.filter((name) => !known.has(name.replace(/^[^:]+: /u, '')) && !EXTERNAL_OPERATIONS.has(name))).toEqual(
    [],
  );
});

test('an operation that a rule marks with (bearer) needs a session, and no staff role', () => {
  const withSession = new Set(OPERATIONS.filter(({ access }) => access === 'bearer').map(operationOf));
  const marked = [...allText.matchAll(/(`(?:GET|POST|PUT|DELETE) [^`]+`)\s+\(bearer\)/gu)].flatMap(
    ([, operation = '']) => operationsIn(operation),
  );
  expect(marked.length).toBeGreaterThan(10);
  expect(marked.filter((operation) => !withSession.has(operation))).toEqual([]);
});

test('R-7.24 lists exactly the fields of an update', () => {
  const [fields = ''] = ruleText('R-7.24').split(' It returns');
  const named = [...fields.matchAll(/`(\w+)`/gu)].map(([, field]) => field);
  expect(named.toSorted()).toEqual([...Object.keys(updateAdFields.shape), 'images'].toSorted());
});

test('R-2.45 lists exactly the required fields of an ad', () => {
  const [, list = ''] = /fields are ([^.]+)\./u.exec(ruleText('R-2.45').replaceAll(/\s+/gu, ' ')) ?? [];
  const isRequired = (field: string) =>
    !newAdFields.shape[field as keyof typeof newAdFields.shape].safeParse(undefined).success;
  expect(list.split(/, | and /u).toSorted()).toEqual(Object.keys(newAdFields.shape).filter(isRequired).toSorted());
});

/** The routes of section 2: `/path`: description. */
const routes = [...allText.matchAll(/^- \*\*R-2\.\d+\*\* ((?:`\/[^`]*`,?\s*)+): ([^*]*?)\n(?=- |\n)/gmu)].flatMap(
  ([, paths = '', description = '']) =>
    [...paths.matchAll(/`([^`]+)`/gu)].map(([, route = '']) => ({
      route,
      description: description.replaceAll(/\s+/gu, ' '),
    })),
);

test('the routes of section 2 are found', () => expect(routes.length).toBeGreaterThan(40));

test.each(routes)('$route needs a login exactly if its rule says so', ({ route, description }) => {
  const needsLogin = /login required|logged-out users go to `\/login`/u.test(description);
  expect(findArea(route.replace('/…', '/x')).access === 'everyone').toBe(!needsLogin);
});

describe('the checks', () => {
  test('find operations with one path and several methods', () => {
    expect(
      operationsIn('`GET /ads/{id}`, then `POST`, `PUT` and `DELETE /x/{adId}/y` and `GET /api/search?q=a`'),
    ).toEqual(['GET /ads/{}', 'POST /x/{}/y', 'PUT /x/{}/y', 'DELETE /x/{}/y', 'GET /search']);
    expect(operationsIn('`/listings` and `GET`')).toEqual([]);
  });

  test('find a route that needs a login', () => {
    expect(routes).toContainEqual(
      expect.objectContaining({ route: '/post-ad', description: expect.stringContaining('login required') }),
    );
  });
});
