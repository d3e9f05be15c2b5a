import { randomUUID } from 'node:crypto';
import { removal } from '@alpenglow/domain';
import { expect, test } from 'vitest';
import { testApi, testProduct, testRecording } from '../support/fixtures.ts';

const product = testProduct({ rateLimits: true });
const api = testApi(product);
const recording = testRecording(product);

const ask = (email: string, links: readonly string[], headers: Readonly<Record<string, string>> = {}) =>
  api.call('POST', '/api/removal-requests', {
    headers,
    body: { name: 'Anna', email, relation: 'self', links, statement: true, signature: 'Anna' },
  });
type Result = Awaited<ReturnType<typeof ask>>;
const dataOf = ({ body }: Result) => body['data'] as { readonly id: string; contents: number; hidden: number };
const hides = async (result: Result) => (await recording.commands.load(removal, dataOf(result).id)).state?.hidesAtOnce;

test('the requests of a person are limited, but a first request is always accepted', async () => {
  const person = `${randomUUID()}@example.com`;
  const results: Result[] = [];
  for (let request = 1; request <= 20; request += 1) results.push(await ask(person, ['/ad/unknown']));
  expect(results.map(({ status }) => status)).toEqual(results.map(() => 201));
  expect(await Promise.all(results.map(hides))).toEqual(results.map((_, index) => index < 5));
  expect(await ask(person, ['/ad/unknown'])).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
  expect(await ask(`${randomUUID()}@example.com`, ['/ad/unknown'])).toMatchObject({ status: 201 });
});

test('a repeated request with the same key is one request, and counts once', async () => {
  const person = `${randomUUID()}@example.com`;
  const headers = { 'Idempotency-Key': randomUUID() };
  const first = await ask(person, ['/ad/unknown'], headers);
  for (let repetition = 1; repetition <= 6; repetition += 1)
    expect(await ask(person, ['/ad/unknown'], headers)).toMatchObject({ status: 201, body: first.body });
  expect(await hides(await ask(person, ['/ad/unknown']))).toBe(true);
});
