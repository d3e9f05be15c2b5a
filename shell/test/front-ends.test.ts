import { afterEach, describe, expect, test, vi } from 'vitest';
import { listErrors, fetchFrontEnds } from '../src/pages/front-ends/front-ends.ts';

const NONE = { registry: 0, entry: 0, chunk: 0, integrity: 0, contract: 0, render: 0 };

test('errors are listed by kind, most frequent first, without kinds that did not occur', () => {
  expect(listErrors({ errors: { ...NONE, chunk: 2, entry: 7, render: 2 } })).toEqual([
    ['entry', 7],
    ['chunk', 2],
    ['render', 2],
  ]);
  expect(listErrors({ errors: NONE })).toEqual([]);
});

describe('the status of the front ends', () => {
  afterEach(() => vi.unstubAllGlobals());
  const stubFetch = (respond: () => Promise<Response>) => vi.stubGlobal('fetch', vi.fn(respond));
  const signal = new AbortController().signal;

  test('is the server’s response', async () => {
    const data = { shell: { hash: 'a', sizeBytes: 1, contractVersion: 2 }, since: '2026-11-21T00:00:00Z', remotes: [] };
    stubFetch(() => Promise.resolve(Response.json({ success: true, data })));
    await expect(fetchFrontEnds(signal)).resolves.toEqual(data);
  });

  test.each([
    ['no response', () => Promise.reject(new TypeError('failed')), { status: 0, code: 'NETWORK' }],
    [
      'an error response',
      () => Promise.resolve(new Response('', { status: 503 })),
      { status: 503, code: 'BAD_ANSWER' },
    ],
    ['a page instead of JSON', () => Promise.resolve(new Response('<html>')), { status: 200, code: 'BAD_ANSWER' }],
    [
      'JSON of another shape',
      () => Promise.resolve(Response.json({ success: true })),
      { status: 200, code: 'BAD_ANSWER' },
    ],
  ])('%s is an error', async (_, respond, error) => {
    stubFetch(respond);
    await expect(fetchFrontEnds(signal)).rejects.toMatchObject(error);
  });
});
