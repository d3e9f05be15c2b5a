import { randomUUID } from 'node:crypto';
import type { UploadAnswer } from '@alpenglow/domain';
import { validAd, type Answer, type ApiClient } from '../support/api.ts';
import { pictures } from '../support/pictures.ts';

const PASSWORD = 'correct horse';

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
  ad: { readonly id: string; readonly title: string } | null = null;
  /** False once the verification code was lost with the answer that carried it. */
  canGoOn = true;
  /** Writes that were acknowledged, over the actor's life. */
  count = 0;
  #doubt: Step | null = null;
  #token: string | null = null;
  #code = '';
  #verified = false;

  get isInDoubt(): boolean {
    return this.#doubt !== null;
  }

  /** What comes next in an actor's life; posting, changing and deleting go on for ever. */
  #next(random: () => number): Step {
    if (this.accountId === null) return { kind: 'sign-up' };
    if (!this.#verified) return { kind: 'verify' };
    if (this.ad === null) return { kind: 'post', clientId: randomUUID(), title: `Ad ${randomUUID()}` };
    const dice = random();
    if (dice < 0.05) return { kind: 'upload' };
    if (dice < 0.65) return { kind: 'update', title: `Ad ${randomUUID()}` };
    return { kind: dice < 0.75 ? 'bump' : 'delete' };
  }

  /** Does the next thing. Answers false when no answer came: the product is down. Throws when the answer is wrong. */
  async act(target: Target, random: () => number): Promise<boolean> {
    const step = this.#next(random);
    this.#doubt = step;
    let answer: Answer;
    try {
      answer = await this.#send(target, step);
    } catch {
      return false;
    }
    // Postgres went before Node did: nothing was promised.
    if (answer.status === 503) return false;
    if (step.kind === 'bump') expectStatus(answer, 429);
    else this.#acknowledge(step, answer);
    this.#doubt = null;
    return true;
  }

  #send({ api, url }: Target, step: Step): Promise<Answer> {
    const token = this.#token ?? '';
    const adPath = `/api/ads/${this.ad?.id ?? ''}`;
    switch (step.kind) {
      case 'sign-up':
        return api.call('POST', '/api/auth/signup', { body: { email: this.email, password: PASSWORD, userType: 'provider', displayName: 'Killed', age: 30 } });
      case 'verify':
        return api.call('POST', '/api/auth/verify-email', { body: { email: this.email, code: this.#code } });
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
    this.count += 1;
    if (step.kind === 'upload') {
      // 202 promises the photo for later.
      expectStatus(answer, 201, 202);
      this.photos.push(...(answer.body as unknown as UploadAnswer).media.map(({ id }) => id));
      return;
    }
    expectStatus(answer, step.kind === 'sign-up' || step.kind === 'post' ? 201 : 200);
    const { stream, types } = TRACES[step.kind];
    this.acknowledged[stream].push(...types);
    switch (step.kind) {
      case 'sign-up': {
        const { token, verificationCode, user } = answer.body as { token: string; verificationCode: string; user: { id: string } };
        this.#token = token;
        this.#code = verificationCode;
        this.accountId = user.id;
        return;
      }
      case 'verify':
        this.#verified = true;
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
   * reading, if something was written.
   */
  async settle(target: Target, history: History): Promise<string | null> {
    const step = this.#doubt;
    this.#doubt = null;
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
      if (step.kind === 'verify') this.#verified = true;
      if (step.kind === 'update') this.ad = { id: this.ad?.id ?? '', title: step.title };
      if (step.kind === 'delete') this.ad = null;
    }
    return null;
  }

  /** An account that is there can be signed in to, whole; one that is not can be opened. */
  async #settleSignUp(api: ApiClient): Promise<void> {
    const login = await api.call('POST', '/api/auth/login', { body: { email: this.email, password: PASSWORD } });
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
    return (answer.body as { data: { id: string; title: string; isActive: boolean }[] }).data.filter(({ isActive }) => isActive).map(({ id, title }) => ({ id, title }));
  }
}

function expectStatus(answer: Answer, ...statuses: readonly number[]): void {
  if (!statuses.includes(answer.status)) throw new Error(`Answered ${answer.status} instead of ${statuses.join(' or ')}: ${JSON.stringify(answer.body)}`);
}

async function uploadPhoto(url: string, token: string): Promise<Answer> {
  const form = new FormData();
  form.append('photos', new Blob([new Uint8Array(await pictures.jpeg(400, 300))], { type: 'image/jpeg' }), 'photo.jpg');
  const response = await fetch(`${url}/api/uploads/photos`, { method: 'POST', body: form, headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
}
