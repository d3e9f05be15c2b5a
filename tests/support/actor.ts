import { randomUUID } from 'node:crypto';
import type { UploadAnswer } from '@alpenglow/domain';
import { validAd, type Answer, type ApiClient } from './api.ts';
import { isNetworkFailure } from './network-failure.ts';
import { pictures } from './pictures.ts';
import { PATIENCE_ms } from './patience.ts';

const PASSWORD = 'correct horse';
/** Many times what the product allows itself. */
const ANSWER_LIMIT_ms = PATIENCE_ms;
/** How a product says that something cannot be had now. */
const UNAVAILABLE = new Set<unknown>(['UNAVAILABLE', 'UPLOADS_BUSY']);

/** Nobody answered, or only that it cannot be had now: what was asked may have been done or not. */
export class NoAnswer extends Error {}

/** What one write leaves in the event store: all of it or nothing. */
interface Trace {
  readonly stream: 'account' | 'listing';
  readonly types: readonly string[];
}

type Step =
  | { readonly kind: 'sign-up' }
  | { readonly kind: 'verify' }
  | { readonly kind: 'post'; readonly clientId: string; readonly title: string }
  | { readonly kind: 'update'; readonly title: string }
  | { readonly kind: 'bump' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'upload' };

const TRACES: Readonly<Record<Exclude<Step['kind'], 'upload'>, Trace>> = {
  'sign-up': { stream: 'account', types: ['AccountRegistered', 'EmailVerificationIssued'] },
  verify: { stream: 'account', types: ['EmailVerified'] },
  post: { stream: 'listing', types: ['AdPosted'] },
  update: { stream: 'listing', types: ['AdUpdated'] },
  // Within the cooldown a bump is refused, and a refusal must leave nothing.
  bump: { stream: 'listing', types: [] },
  delete: { stream: 'listing', types: ['AdDeleted'] },
};

/** A product that runs. */
export interface Target {
  readonly url: string;
  readonly api: ApiClient;
}

/** The types of the events of a stream, in order; a stream nobody wrote to has none. */
export type History = (stream: string) => readonly string[];

/**
 * A provider who writes one thing after the other and remembers what was acknowledged. At most one write is in doubt: the
 * last one, when no answer came. Once the product is up again, `settle` finds out which way it went.
 */
export class Actor {
  readonly email = `${randomUUID()}@example.com`;
  readonly acknowledged = { account: [] as string[], listing: [] as string[] };
  /** Media ids of the photos whose upload was answered. */
  readonly photos: string[] = [];
  accountId: string | null = null;
  isVerified = false;
  /** The verification code, once the answer that carries it has come. */
  code: string | null = null;
  ad: { readonly id: string; readonly title: string } | null = null;
  /** False once the account is there and will not be verified: not wanted, or its code was lost with the answer that carried it. */
  canGoOn = true;
  /** Writes that were acknowledged, over the actor's life. */
  count = 0;
  #doubt: Step | null = null;
  #token: string | null = null;
  readonly #verifies: boolean;

  /** With `verifies: false`, one who signs up and leaves it at that. */
  constructor({ verifies = true } = {}) {
    this.#verifies = verifies;
  }

  get isInDoubt(): boolean {
    return this.#doubt !== null;
  }

  /** What comes next in an actor's life; posting, changing and deleting go on for ever. */
  #next(random: () => number): Step {
    if (this.accountId === null) return { kind: 'sign-up' };
    if (!this.isVerified) return { kind: 'verify' };
    if (this.ad === null) return { kind: 'post', clientId: randomUUID(), title: `Ad ${randomUUID()}` };
    const dice = random();
    if (dice < 0.05) return { kind: 'upload' };
    if (dice < 0.65) return { kind: 'update', title: `Ad ${randomUUID()}` };
    return { kind: dice < 0.75 ? 'bump' : 'delete' };
  }

  /** Does the next thing. Answers false when no answer came: the product is down. Throws when the answer is wrong, unreadable or does not end. */
  async act(target: Target, random: () => number): Promise<boolean> {
    const step = this.#next(random);
    this.#doubt = step;
    let answer: Answer;
    try {
      answer = await this.#send(target, step);
    } catch (error) {
      if (error instanceof NoAnswer) return false;
      throw error;
    }
    if (step.kind === 'bump') expectStatus(answer, 429);
    else this.#acknowledge(step, answer);
    this.#doubt = null;
    return true;
  }

  #send(target: Target, step: Step): Promise<Answer> {
    return answerOf(this.#ask(target, step));
  }

  #ask({ api, url }: Target, step: Step): Promise<Answer> {
    const token = this.#token ?? '';
    const adPath = `/api/ads/${this.ad?.id ?? ''}`;
    switch (step.kind) {
      case 'sign-up':
        return api.call('POST', '/api/auth/signup', {
          body: { email: this.email, password: PASSWORD, userType: 'provider', displayName: 'Killed', age: 30 },
        });
      case 'verify':
        return api.call('POST', '/api/auth/verify-email', { body: { email: this.email, code: this.code } });
      case 'post':
        return api.call('POST', '/api/ads', { token, body: { ...validAd, id: step.clientId, title: step.title } });
      case 'update':
        return api.call('PUT', adPath, { token, body: { title: step.title } });
      case 'bump':
        return api.call('POST', `${adPath}/bump`, { token });
      case 'delete':
        return api.call('DELETE', adPath, { token });
      case 'upload':
        return uploadPhoto(url, token);
    }
  }

  #acknowledge(step: Step, answer: Answer): void {
    if (step.kind === 'upload') {
      // 202 promises the photo for later.
      expectStatus(answer, 201, 202);
      this.count += 1;
      this.photos.push(...(answer.body as unknown as UploadAnswer).media.map(({ id }) => id));
      return;
    }
    expectStatus(answer, step.kind === 'sign-up' || step.kind === 'post' ? 201 : 200);
    this.count += 1;
    const { stream, types } = TRACES[step.kind];
    this.acknowledged[stream].push(...types);
    switch (step.kind) {
      case 'sign-up': {
        const { token, verificationCode, user } = answer.body as {
          token: string;
          verificationCode: string;
          user: { id: string };
        };
        this.#token = token;
        this.code = verificationCode;
        this.accountId = user.id;
        this.canGoOn = this.#verifies;
        return;
      }
      case 'verify':
        this.isVerified = true;
        return;
      case 'post':
        this.ad = { id: (answer.body as { ad: { id: string } }).ad.id, title: step.title };
        return;
      case 'update':
        this.ad = { id: this.ad?.id ?? '', title: step.title };
        return;
      case 'delete':
        this.ad = null;
        return;
      case 'bump':
        return;
    }
  }

  /**
   * Finds out what became of the write in doubt, from what the product says now, and takes it into account. A posting is
   * sent again under the same id, as a client would: it must not be posted twice. Answers the position to wait for before
   * reading, if something was written. Rejects with `NoAnswer`, and stays in doubt, when the product cannot say.
   */
  async settle(target: Target, history: History): Promise<string | null> {
    const step = this.#doubt;
    const position = await this.#settle(step, target, history);
    this.#doubt = null;
    return position;
  }

  async #settle(step: Step | null, target: Target, history: History): Promise<string | null> {
    // A photo nobody knows the address of is nobody's loss; that it is whole is checked with all photos.
    if (step === null || step.kind === 'upload') return null;
    if (step.kind === 'sign-up') {
      await this.#settleSignUp(target.api);
      return null;
    }
    if (step.kind === 'post') {
      const answer = await this.#send(target, step);
      this.#acknowledge(step, answer);
      return answer.headers.get('x-position');
    }
    const { stream, types } = TRACES[step.kind];
    const found = history(`${stream}-${this.accountId ?? ''}`);
    const expected = this.acknowledged[stream];
    if (types.length > 0 && found.length === expected.length + types.length) {
      expected.push(...types);
      if (step.kind === 'verify') this.isVerified = true;
      if (step.kind === 'update') this.ad = { id: this.ad?.id ?? '', title: step.title };
      if (step.kind === 'delete') this.ad = null;
    }
    return null;
  }

  /** An account that is there can be signed in to, whole; one that is not can be opened. */
  async #settleSignUp(api: ApiClient): Promise<void> {
    const login = await answerOf(
      api.call('POST', '/api/auth/login', { body: { email: this.email, password: PASSWORD } }),
    );
    if (login.status === 401) return;
    expectStatus(login, 200);
    const { token, user } = login.body as { token: string; user: { id: string } };
    this.acknowledged.account.push(...TRACES['sign-up'].types);
    this.accountId = user.id;
    this.#token = token;
    this.canGoOn = false;
  }

  /** What the owner sees of their own ads. */
  async ownAds(api: ApiClient, headers: Record<string, string>): Promise<readonly { id: string; title: string }[]> {
    const answer = await api.call('GET', '/api/ads/user', { token: this.#token ?? '', headers });
    expectStatus(answer, 200);
    return (answer.body as { data: { id: string; title: string; isActive: boolean }[] }).data
      .filter(({ isActive }) => isActive)
      .map(({ id, title }) => ({ id, title }));
  }
}

/** The answer; NoAnswer where the connection failed or it says that it cannot be had now. Whatever else goes wrong is thrown as it is. */
async function answerOf(asking: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No end of an answer within ${ANSWER_LIMIT_ms} ms`)), ANSWER_LIMIT_ms);
  });
  try {
    const answer = await Promise.race([asking, limit]);
    if (answer.status === 503 && UNAVAILABLE.has(answer.body['code'])) throw new NoAnswer('It cannot be had now');
    return answer;
  } catch (error) {
    throw isNetworkFailure(error) ? new NoAnswer('Nobody answered', { cause: error }) : error;
  } finally {
    clearTimeout(timer);
  }
}

function expectStatus(answer: Answer, ...statuses: readonly number[]): void {
  // An answer of the API, whole: refusals say so in the same field.
  const isWhole = answer.body['success'] === answer.status < 400;
  if (!isWhole || !statuses.includes(answer.status))
    throw new Error(`Answered ${answer.status} instead of ${statuses.join(' or ')}: ${JSON.stringify(answer.body)}`);
}

async function uploadPhoto(url: string, token: string): Promise<Answer> {
  const form = new FormData();
  form.append('photos', new Blob([new Uint8Array(await pictures.jpeg(400, 300))], { type: 'image/jpeg' }), 'photo.jpg');
  const response = await fetch(`${url}/api/uploads/photos`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
}
