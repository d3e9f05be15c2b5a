import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { whenAvailable } from '../support/when-available.ts';
import { testProduct } from '../support/fixtures.ts';

const product = testProduct({ exposeVerificationCodes: true });

interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Sends a request with any method and headers, because `fetch` forbids some of them. */
function sendRequest(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    request(`${product.url}${path}`, { method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    })
      .on('error', reject)
      .end();
  });
}

const ORIGIN = { origin: 'https://elsewhere.example' };

describe('every response', () => {
  test.each([
    ['GET', '/api/ads', 200],
    ['GET', '/api/health', 200],
    ['GET', '/api/docs', 200],
    ['GET', '/api/docs/schemas', 200],
    ['GET', '/api/docs/openapi.yaml', 200],
    ['POST', '/api/auth/login', 400],
    ['GET', '/api/nothing', 404],
    ['GET', '/api/ads/%', 400],
    ['GET', '/uploads/photos/none/320.webp', 404],
    ['GET', '/uploads/video/none', 404],
    ['GET', '/healthz', 200],
    ['GET', '/readyz', 200],
    ['GET', '/metrics', 401],
    ['GET', '/dev/inbox', 200],
    ['GET', '/robots.txt', 200],
    ['GET', '/mf/registry.json', 200],
    ['POST', '/', 404],
  ])('%s %s (%i) has the security headers', async (method, path, status) => {
    const response = await whenAvailable(() => sendRequest(method, path, ORIGIN));
    expect(response.status).toBe(status);
    expect(response.headers).toMatchObject({
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
      expect(response.headers).not.toHaveProperty(name);
  });

  test.each(['/api/ads', '/api/health', '/uploads/photos/none/320.webp', '/healthz', '/api/nothing'])(
    'GET %s allows a browser to load and run nothing',
    async (path) => {
      expect((await sendRequest('GET', path)).headers['content-security-policy']).toBe(
        "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'",
      );
    },
  );

  test('that is a page allows our own scripts and three inline scripts by their hashes', async () => {
    const { status, headers } = await sendRequest('GET', '/', { accept: 'text/html' });
    expect(status).toBe(200);
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/script-src 'self'(?: 'sha256-[\w+/]{43}='){3};/u);
    expect(policy).not.toContain('unsafe-eval');
    // Only `style` attributes are allowed, which cannot run scripts.
    expect(policy.replace("style-src-attr 'unsafe-inline'", '')).not.toContain('unsafe-inline');
  });
});

describe('requests of other origins', () => {
  test.each(['/api/ads', '/api/auth/login', '/uploads/photos/none/320.webp', '/', '/healthz'])(
    'are rejected for OPTIONS %s',
    async (path) => {
      const response = await sendRequest('OPTIONS', path, {
        ...ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      });
      expect(response.status).toBe(405);
      expect(JSON.parse(response.body)).toMatchObject({
        success: false,
        code: 'METHOD_NOT_ALLOWED',
        status: 405,
        title: 'Method Not Allowed',
      });
      for (const name of Object.keys(response.headers)) expect(name).not.toMatch(/^access-control-/u);
    },
  );
});

describe('a method that a path does not support', () => {
  test.each([
    ['PUT', '/api/ads', 'GET, HEAD, POST'],
    ['PATCH', '/api/ads/a1', 'DELETE, GET, HEAD, PUT'],
    ['GET', '/api/ads/a1/bump', 'POST'],
    ['GET', '/api/auth/login?x=1', 'POST'],
    ['POST', '/api/health', 'GET, HEAD'],
    ['OPTIONS', '/api/admin/verification-codes/clear', 'DELETE, POST'],
    ['TRACE', '/api/ads', 'GET, HEAD, POST'],
  ])('%s %s is rejected with the supported methods: %s', async (method, path, allow) => {
    const { status, headers, body } = await sendRequest(method, path);
    expect([status, headers.allow]).toEqual([405, allow]);
    expect(JSON.parse(body)).toMatchObject({ success: false, code: 'METHOD_NOT_ALLOWED', message: 'HTTP 405' });
  });
  test.each(['OPTIONS', 'PATCH', 'DELETE'])('%s of an unknown path responds with 404', async (method) => {
    expect((await sendRequest(method, '/api/nothing')).status).toBe(404);
  });
});
