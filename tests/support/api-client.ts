import { randomUUID } from 'node:crypto';

/** An answer of the API with what tests look at. */
export interface Answer {
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

/** Of everybody who signs up here. */
export const PASSWORD = 'correct horse';

/** Looks at every answer; throws when it is not as it should be. */
export type AnswerCheck = (
  method: string,
  path: string,
  answer: { readonly status: number; readonly headers: Headers; readonly text: string },
) => void;

/** A client of the API at `url`, as thin as can be: what goes over the wire is what its user says. */
export function createApiClient(url: string, check: AnswerCheck = () => undefined) {
  async function call(
    method: string,
    path: string,
    options: { body?: unknown; token?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const { body, token, headers } = options;
    const response = await fetch(`${url}${path}`, {
      method,
      // An answer that leads elsewhere is an answer.
      redirect: 'manual',
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    check(method, path, { status: response.status, headers: response.headers, text });
    return {
      status: response.status,
      headers: response.headers,
      body: (text.startsWith('{') ? JSON.parse(text) : { text }) as Answer['body'],
    };
  }

  async function signUp(
    userType: 'client' | 'provider',
    { verify = true, email = `${randomUUID()}@example.com`, displayName = 'Test' } = {},
  ): Promise<Person> {
    const answer = await call('POST', '/api/auth/signup', {
      body: { email, password: PASSWORD, userType, displayName, age: 30 },
    });
    if (answer.status !== 201) throw new Error(`sign-up answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    const { token, user, verificationCode } = answer.body as unknown as Person;
    if (verify) {
      const verified = await call('POST', '/api/auth/verify-email', { body: { email, code: verificationCode } });
      if (verified.status !== 200)
        throw new Error(`verification answered ${verified.status}: ${JSON.stringify(verified.body)}`);
    }
    return { email, token, user, verificationCode };
  }

  /** Posts an ad and answers its id and the position at which reads show it. */
  async function postAd(
    token: string,
    changes: Record<string, unknown> = {},
  ): Promise<{ id: string; position: string; revision: string }> {
    const answer = await call('POST', '/api/ads', { token, body: { ...validAd, ...changes } });
    if (answer.status !== 201) throw new Error(`posting answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    const { ad } = answer.body as unknown as { ad: { id: string } };
    return { id: ad.id, position: answer.headers.get('x-position') ?? '', revision: answer.headers.get('etag') ?? '' };
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
