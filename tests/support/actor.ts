import { randomUUID } from 'node:crypto';
import type { ResponseOf } from '@alpenglow/domain';
import { validAd, type ApiResponse, type ApiClient } from './api.ts';
import { isNetworkFailure } from './network-failure.ts';
import { pictures } from './pictures.ts';
import { MAX_WAIT_ms } from './max-wait.ts';
import { uniqueWord } from './unique-word.ts';

const PASSWORD = 'correct horse';
/** Maximum time that a test waits for a response. It is much longer than any time limit of the product. */
const RESPONSE_LIMIT_ms = MAX_WAIT_ms;
/** Error codes of a service that is temporarily unavailable. */
const UNAVAILABLE = new Set<unknown>(['UNAVAILABLE', 'UPLOADS_BUSY']);

/**
 * Thrown if the connection fails or the service is unavailable. It remains unknown whether the product handled the
 * request.
 */
export class UnavailableError extends Error {}

/** The events that one write of an actor appends. The event store must contain either all of these events or none. */
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
  // The tests cannot wait until an ad may be bumped again. Every bump is therefore rejected and must not append events.
  bump: { stream: 'listing', types: [] },
  delete: { stream: 'listing', types: ['AdDeleted'] },
};

/** A running product. */
export interface RunningProduct {
  readonly url: string;
  readonly api: ApiClient;
}

/** Returns the types of the events of a stream in order. The list is empty for a stream without events. */
export type EventTypesReader = (stream: string) => readonly string[];

/**
 * A simulated provider that sends one write at a time. Records every write that the product acknowledged. If the last
 * write got no response, it is called unsettled, and `settle` finds out whether the product stored it.
 */
export class Actor {
  readonly email = `${randomUUID()}@example.com`;
  readonly acknowledged = { account: [] as string[], listing: [] as string[] };
  /** Media ids of the photos whose upload was acknowledged. */
  readonly photos: string[] = [];
  accountId: string | null = null;
  isVerified = false;
  /** The verification code from the sign-up response. It is null until the response arrives. */
  code: string | null = null;
  ad: { readonly id: string; readonly title: string } | null = null;
  /**
   * False if the account exists but will not be verified. Either the test does not verify it, or the response with the
   * code was lost.
   */
  canContinue = true;
  /** Number of acknowledged writes of this actor. */
  acknowledgedCount = 0;
  #unsettled: Step | null = null;
  #token: string | null = null;
  readonly #verifies: boolean;

  /** If `verifies` is false, the actor signs up but never verifies its e-mail address. */
  constructor({ verifies = true } = {}) {
    this.#verifies = verifies;
  }

  get isUnsettled(): boolean {
    return this.#unsettled !== null;
  }

  /**
   * Returns the next step of the actor. The actor signs up and verifies its e-mail address. It then repeatedly posts,
   * changes and deletes ads.
   */
  #next(random: () => number): Step {
    if (this.accountId === null) return { kind: 'sign-up' };
    if (!this.isVerified) return { kind: 'verify' };
    if (this.ad === null) return { kind: 'post', clientId: randomUUID(), title: `Ad ${uniqueWord()}` };
    const roll = random();
    if (roll < 0.05) return { kind: 'upload' };
    if (roll < 0.65) return { kind: 'update', title: `Ad ${uniqueWord()}` };
    return { kind: roll < 0.75 ? 'bump' : 'delete' };
  }

  /**
   * Performs the next step. Returns false if the product is unavailable. Throws if the response is wrong or incomplete.
   */
  async performNextStep(target: RunningProduct, random: () => number): Promise<boolean> {
    const step = this.#next(random);
    this.#unsettled = step;
    let response: ApiResponse;
    try {
      response = await this.#send(target, step);
    } catch (error) {
      if (error instanceof UnavailableError) return false;
      throw error;
    }
    if (step.kind === 'bump') expectStatus(response, 429);
    else this.#acknowledge(step, response);
    this.#unsettled = null;
    return true;
  }

  #send(target: RunningProduct, step: Step): Promise<ApiResponse> {
    return responseOf(this.#request(target, step));
  }

  #request({ api, url }: RunningProduct, step: Step): Promise<ApiResponse> {
    const token = this.#token ?? '';
    const adPath = `/api/ads/${this.ad?.id ?? ''}`;
    switch (step.kind) {
      case 'sign-up':
        return api.call('POST', '/api/auth/signup', {
          body: { email: this.email, password: PASSWORD, userType: 'provider', displayName: 'Killed', age: 30 },
        });
      case 'verify':
        return api.call('POST', '/api/auth/verify-email', { token, body: { email: this.email, code: this.code } });
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

  #acknowledge(step: Step, response: ApiResponse): void {
    if (step.kind === 'upload') {
      // Status 202 means that the upload was accepted and the photo is processed later.
      expectStatus(response, 201, 202);
      this.acknowledgedCount += 1;
      this.photos.push(...(response.body as unknown as ResponseOf<'uploadPhotos'>).media.map(({ id }) => id));
      return;
    }
    expectStatus(response, step.kind === 'sign-up' || step.kind === 'post' ? 201 : 200);
    this.acknowledgedCount += 1;
    const { stream, types } = TRACES[step.kind];
    this.acknowledged[stream].push(...types);
    switch (step.kind) {
      case 'sign-up': {
        const { token, verificationCode, user } = response.body as {
          token: string;
          verificationCode: string;
          user: { id: string };
        };
        this.#token = token;
        this.code = verificationCode;
        this.accountId = user.id;
        this.canContinue = this.#verifies;
        return;
      }
      case 'verify':
        this.isVerified = true;
        return;
      case 'post':
        this.ad = { id: (response.body as { ad: { id: string } }).ad.id, title: step.title };
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
   * Finds out whether the product stored the last write, whose response was lost, and updates the actor accordingly. If
   * the write posted an ad, sends the request again with the same id, as a client does. The product must then store
   * only one ad. Returns the position of this repeated request in the event log, or null for other writes. Rejects with
   * `UnavailableError` if the product is unavailable. The write then remains unsettled.
   */
  async settle(target: RunningProduct, history: EventTypesReader): Promise<string | null> {
    const step = this.#unsettled;
    const position = await this.#settle(step, target, history);
    this.#unsettled = null;
    return position;
  }

  async #settle(step: Step | null, target: RunningProduct, history: EventTypesReader): Promise<string | null> {
    // If the response to a photo upload is lost, the id of the photo is unknown. The photo cannot be checked here, but
    // another check covers all photos.
    if (step === null || step.kind === 'upload') return null;
    if (step.kind === 'sign-up') {
      await this.#settleSignUp(target.api);
      return null;
    }
    if (step.kind === 'post') {
      const response = await this.#send(target, step);
      this.#acknowledge(step, response);
      return response.headers.get('x-position');
    }
    const { stream, types } = TRACES[step.kind];
    const storedTypes = history(`${stream}-${this.accountId ?? ''}`);
    const expected = this.acknowledged[stream];
    if (types.length > 0 && storedTypes.length === expected.length + types.length) {
      expected.push(...types);
      if (step.kind === 'verify') this.isVerified = true;
      if (step.kind === 'update') this.ad = { id: this.ad?.id ?? '', title: step.title };
      if (step.kind === 'delete') this.ad = null;
    }
    return null;
  }

  /**
   * Finds out by logging in whether the product stored the sign-up. If the account does not exist, the next step signs
   * up again.
   */
  async #settleSignUp(api: ApiClient): Promise<void> {
    const login = await responseOf(
      api.call('POST', '/api/auth/login', { body: { email: this.email, password: PASSWORD } }),
    );
    if (login.status === 401) return;
    expectStatus(login, 200);
    const { token, user } = login.body as { token: string; user: { id: string } };
    this.acknowledged.account.push(...TRACES['sign-up'].types);
    this.accountId = user.id;
    this.#token = token;
    this.canContinue = false;
  }

  /** Requests the ads of this actor from the API. Returns only the active ads. */
  async ownAds(api: ApiClient, headers: Record<string, string>): Promise<readonly { id: string; title: string }[]> {
    const response = await api.call('GET', '/api/ads/user', { token: this.#token ?? '', headers });
    expectStatus(response, 200);
    return (response.body as { data: { id: string; title: string; isActive: boolean }[] }).data
      .filter(({ isActive }) => isActive)
      .map(({ id, title }) => ({ id, title }));
  }
}

/**
 * Resolves with the response. Throws `UnavailableError` if the connection fails or the service is unavailable. Throws
 * all other errors unchanged.
 */
async function responseOf(request: Promise<ApiResponse>): Promise<ApiResponse> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The response was not complete within ${RESPONSE_LIMIT_ms} ms`)),
      RESPONSE_LIMIT_ms,
    );
  });
  try {
    const response = await Promise.race([request, limit]);
    if (response.status === 503 && UNAVAILABLE.has(response.body['code']))
      throw new UnavailableError('The service is unavailable');
    return response;
  } catch (error) {
    throw isNetworkFailure(error) ? new UnavailableError('No response', { cause: error }) : error;
  } finally {
    clearTimeout(timer);
  }
}

function expectStatus(response: ApiResponse, ...statuses: readonly number[]): void {
  // Every complete API response has a `success` field that matches its status.
  const isComplete = response.body['success'] === response.status < 400;
  if (!isComplete || !statuses.includes(response.status))
    throw new Error(
      `Returned ${response.status} instead of ${statuses.join(' or ')}: ${JSON.stringify(response.body)}`,
    );
}

async function uploadPhoto(url: string, token: string): Promise<ApiResponse> {
  const form = new FormData();
  form.append('photos', new Blob([new Uint8Array(await pictures.jpeg(400, 300))], { type: 'image/jpeg' }), 'photo.jpg');
  const response = await fetch(`${url}/api/uploads/photos`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as ApiResponse['body'] };
}
