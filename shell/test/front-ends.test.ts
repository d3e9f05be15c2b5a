import { afterEach, describe, expect, test, vi } from 'vitest';
import { fetchFrontEnds, sortErrors } from '../src/pages/front-ends/front-ends.ts';

test('errors are listed by kind, most frequent first', () => {
  const errors = [
    { kind: 'chunk', count: 2 },
    { kind: 'entry', count: 7 },
    { kind: 'render', count: 2 },
  ] as const;
  expect(sortErrors({ errors: [...errors] }).map(({ kind }) => kind)).toEqual(['entry', 'chunk', 'render']);
});

describe('the status of the front ends', () => {
  afterEach(() => vi.unstubAllGlobals());
  const stubFetch = (respond: (path: string) => Promise<Response>) => vi.stubGlobal('fetch', vi.fn(respond));
  const signal = new AbortController().signal;

  const deployments = { shell: { hash: 'a', sizeBytes: 1, contractVersion: '2.0.0' }, remotes: [] };
  const statistics = { days: 28, deployments: [] };

  test('consists of the deployments and the statistics', async () => {
    stubFetch((path) =>
      Promise.resolve(Response.json({ success: true, data: path.startsWith('/api/') ? statistics : deployments })),
    );
    await expect(fetchFrontEnds(signal)).resolves.toEqual({ ...deployments, statistics });
  });

  test('has no statistics if the API does not respond', async () => {
    stubFetch((path) =>
      Promise.resolve(
        path.startsWith('/api/')
          ? new Response('', { status: 503 })
          : Response.json({ success: true, data: deployments }),
      ),
    );
    await expect(fetchFrontEnds(signal)).resolves.toEqual({ ...deployments, statistics: null });
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
