import { afterEach, describe, expect, test, vi } from 'vitest';
import { errorsOf, readFrontEnds } from '../src/pages/front-ends/front-ends.ts';

const NONE = { registry: 0, entry: 0, chunk: 0, integrity: 0, contract: 0, render: 0 };

test('errors are told by kind, the most frequent first; kinds without any are not', () => {
  expect(errorsOf({ errors: { ...NONE, chunk: 2, entry: 7, render: 2 } })).toEqual([
    ['entry', 7],
    ['chunk', 2],
    ['render', 2],
  ]);
  expect(errorsOf({ errors: NONE })).toEqual([]);
});

describe('the state of the front ends', () => {
  afterEach(() => vi.unstubAllGlobals());
  const answering = (answer: () => Promise<Response>) => vi.stubGlobal('fetch', vi.fn(answer));
  const signal = new AbortController().signal;

  test('is what the server says', async () => {
    const data = { shell: { hash: 'a', sizeBytes: 1, contractVersion: 2 }, since: '2026-11-21T00:00:00Z', remotes: [] };
    answering(() => Promise.resolve(Response.json({ success: true, data })));
    await expect(readFrontEnds(signal)).resolves.toEqual(data);
  });

  test.each([
    ['no answer', () => Promise.reject(new TypeError('failed')), { status: 0, code: 'NETWORK' }],
    ['a refusal', () => Promise.resolve(new Response('', { status: 503 })), { status: 503, code: 'BAD_ANSWER' }],
    ['a page instead', () => Promise.resolve(new Response('<html>')), { status: 200, code: 'BAD_ANSWER' }],
    ['something else', () => Promise.resolve(Response.json({ success: true })), { status: 200, code: 'BAD_ANSWER' }],
  ])('%s is an error', async (_, answer, error) => {
    answering(answer);
    await expect(readFrontEnds(signal)).rejects.toMatchObject(error);
  });
});
