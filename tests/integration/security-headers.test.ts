import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestProduct, type TestProduct } from '../support/product.ts';

let product: TestProduct;
beforeAll(async () => {
  product = await startTestProduct({ exposeVerificationCodes: true });
});
afterAll(() => product.stop());

interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Any method, any header: `fetch` keeps some to itself. */
function ask(method: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Seen> {
  return new Promise((resolve, reject) => {
    request(`${product.url}${path}`, { method, headers }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text: string) => (body += text));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
    })
      .on('error', reject)
      .end();
  });
}

const ORIGIN = { origin: 'https://elsewhere.example' };

describe('every answer', () => {
  test.each([
    ['GET', '/api/ads', 200],
    ['GET', '/api/health', 200],
    ['GET', '/api/docs', 200],
    ['GET', '/api/docs/openapi.yaml', 200],
    ['POST', '/api/auth/login', 400],
    ['GET', '/api/nothing', 404],
    ['GET', '/api/ads/%', 400],
    ['GET', '/uploads/photos/none/320.webp', 404],
    ['GET', '/uploads/video/none', 404],
    ['GET', '/healthz', 200],
    ['GET', '/readyz', 200],
    ['GET', '/metrics', 200],
    ['GET', '/dev/inbox', 200],
    ['GET', '/robots.txt', 200],
    ['GET', '/mf/registry.json', 200],
    ['POST', '/', 404],
  ])('%s %s (%i) keeps browsers from doing anything with it', async (method, path, status) => {
    const answer = await ask(method, path, ORIGIN);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'same-origin',
      'strict-transport-security': 'max-age=31536000',
      'permissions-policy': expect.stringContaining('geolocation=()') as string,
      'referrer-policy': expect.stringMatching(/^(?:no-referrer|same-origin)$/u) as string,
      'content-security-policy': expect.stringMatching(/frame-ancestors 'none'/u) as string,
      'x-request-id': expect.stringMatching(/^[\w-]{36}$/u) as string,
    });
    for (const name of [
      'x-powered-by',
      'server',
      'access-control-allow-origin',
      'access-control-allow-credentials',
      'access-control-allow-methods',
    ])
      expect(answer.headers).not.toHaveProperty(name);
  });

  test.each(['/api/ads', '/api/health', '/uploads/photos/none/320.webp', '/healthz', '/api/nothing'])(
    'GET %s may load and run nothing',
    async (path) => {
      expect((await ask('GET', path)).headers['content-security-policy']).toBe(
        "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'",
      );
    },
  );

  test('that is a page may run what is ours, and nothing inline', async () => {
    const { status, headers } = await ask('GET', '/', { accept: 'text/html' });
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toContain("script-src 'self'");
    expect(headers['content-security-policy']).not.toMatch(/unsafe-(?:inline|eval)/u);
  });
});

describe('other origins', () => {
  test.each(['/api/ads', '/api/auth/login', '/uploads/photos/none/320.webp', '/', '/healthz'])(
    'are not let in by OPTIONS %s',
    async (path) => {
      const answer = await ask('OPTIONS', path, {
        ...ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      });
      expect(answer.status).toBe(405);
      expect(JSON.parse(answer.body)).toMatchObject({
        success: false,
        code: 'METHOD_NOT_ALLOWED',
        status: 405,
        title: 'Method Not Allowed',
      });
      for (const name of Object.keys(answer.headers)) expect(name).not.toMatch(/^access-control-/u);
    },
  );
});

describe('a method that a path is not called with', () => {
  test.each([
    ['PUT', '/api/ads', 'GET, HEAD, POST'],
    ['PATCH', '/api/ads/a1', 'DELETE, GET, HEAD, PUT'],
    ['GET', '/api/ads/a1/bump', 'POST'],
    ['GET', '/api/auth/login?x=1', 'POST'],
    ['POST', '/api/health', 'GET, HEAD'],
    ['OPTIONS', '/api/admin/verification-codes/clear', 'DELETE, POST'],
    ['TRACE', '/api/ads', 'GET, HEAD, POST'],
  ])('%s %s is refused with those it is: %s', async (method, path, allow) => {
    const { status, headers, body } = await ask(method, path);
    expect([status, headers.allow]).toEqual([405, allow]);
    expect(JSON.parse(body)).toMatchObject({ success: false, code: 'METHOD_NOT_ALLOWED', message: 'HTTP 405' });
  });
  test.each(['OPTIONS', 'PATCH', 'DELETE'])('%s of no path is not found', async (method) => {
    expect((await ask(method, '/api/nothing')).status).toBe(404);
  });
});
