import { randomUUID } from 'node:crypto';

/** The parts of an API response that tests read. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Person {
  readonly email: string;
  readonly token: string;
  readonly user: { readonly id: string };
  readonly verificationCode: string;
}

/** The password of all accounts that `signUp` creates. */
export const PASSWORD = 'correct horse';

/**
 * Returns the request header with which a read waits until it includes a write. `write` is the response to the write,
 * or its position in the event log.
 */
export const after = (write: Pick<ApiResponse, 'headers'> | string) => ({
  'x-wait-position': typeof write === 'string' ? write : (write.headers.get('x-position') ?? ''),
});

/** Function that checks a response. It throws if the response is invalid. */
export type ResponseCheck = (
  method: string,
  path: string,
  response: { readonly status: number; readonly headers: Headers; readonly text: string },
) => void;

export interface RequestOptions {
  /** A form and a text are sent unchanged, and everything else as JSON. */
  readonly body?: unknown;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends a request to the API at `url` exactly as the caller specifies it. */
export async function sendRequest(
  url: string,
  method: string,
  path: string,
  { body, token, headers, signal }: RequestOptions = {},
  check: ResponseCheck = () => undefined,
): Promise<ApiResponse> {
  const isForm = body instanceof FormData;
  const response = await fetch(`${url}${path}`, {
    method,
    // Redirects are returned as responses, so that tests can check them.
    redirect: 'manual',
    headers: {
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: isForm || typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const text = await response.text();
  check(method, path, { status: response.status, headers: response.headers, text });
  return {
    status: response.status,
    headers: response.headers,
    body: (text.startsWith('{') ? JSON.parse(text) : { text }) as ApiResponse['body'],
  };
}

/** Creates a client of the API at `url`. */
export function createApiClient(url: string, check: ResponseCheck = () => undefined) {
  const call = (method: string, path: string, options: RequestOptions = {}): Promise<ApiResponse> =>
    sendRequest(url, method, path, options, check);

  async function signUp(
    userType: 'client' | 'provider',
    { verify = true, email = `${randomUUID()}@example.com`, displayName = 'Test' } = {},
  ): Promise<Person> {
    const response = await call('POST', '/api/auth/signup', {
      body: { email, password: PASSWORD, userType, displayName, age: 30 },
    });
    if (response.status !== 201)
      throw new Error(`Sign-up returned ${response.status}: ${JSON.stringify(response.body)}`);
    const { token, user, verificationCode } = response.body as unknown as Person;
    if (verify) {
      const verification = await call('POST', '/api/auth/verify-email', {
        token,
        body: { email, code: verificationCode },
      });
      if (verification.status !== 200)
        throw new Error(`Verification returned ${verification.status}: ${JSON.stringify(verification.body)}`);
    }
    return { email, token, user, verificationCode };
  }

  /**
   * Posts an ad. Returns the id and the revision of the ad, and its position in the event log. A read that waits for
   * this position includes the ad.
   */
  async function postAd(
    token: string,
    changes: Record<string, unknown> = {},
  ): Promise<{ id: string; position: string; revision: string }> {
    const response = await call('POST', '/api/ads', { token, body: { ...validAd, ...changes } });
    if (response.status !== 201)
      throw new Error(`Posting returned ${response.status}: ${JSON.stringify(response.body)}`);
    const { ad } = response.body as unknown as { ad: { id: string } };
    return {
      id: ad.id,
      position: response.headers.get('x-position') ?? '',
      revision: response.headers.get('etag') ?? '',
    };
  }

  return { call, signUp, postAd };
}
export type ApiClient = ReturnType<typeof createApiClient>;

export const validAd = {
  name: 'Anna',
  title: 'Good company',
  category: 'escort',
  state: 'NV',
  city: 'Las Vegas',
  description: 'Calm and kind.',
};
