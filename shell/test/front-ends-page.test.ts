import { beforeEach, expect, it, vi } from 'vitest';
import { fetchFrontEnds } from '../src/pages/front-ends/front-ends.ts';

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/u;

const requests: { readonly path: string; readonly headers: Headers }[] = [];

beforeEach(() => {
  requests.length = 0;
  vi.stubGlobal('fetch', (path: string, { headers }: RequestInit) => {
    requests.push({ path, headers: new Headers(headers) });
    return Promise.resolve(new Response(JSON.stringify({ data: {} })));
  });
});

it('the requests of the page of front ends begin traces', async () => {
  await fetchFrontEnds(AbortSignal.abort());
  expect(requests.map(({ path }) => path)).toEqual(['/status/front-ends.json', '/api/front-ends/statistics']);
  for (const { headers } of requests) expect(headers.get('traceparent')).toMatch(TRACEPARENT);
});
