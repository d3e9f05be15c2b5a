import {
  FALLBACK_PICTURES,
  HEALTH_TIMEOUT_ms,
  UPLOAD_TIMEOUT_ms,
  photoUrl,
  type AdAnswer,
  type AdCard,
  type AdCountsAnswer,
  type AdChanges,
  type AdListAnswer,
  type AdView,
  type AdWriteAnswer,
  type DoneAnswer,
  type FavoriteAnswer,
  type FavoritesAnswer,
  type NewAdFields,
  type ProfileFields,
  type ResendAnswer,
  type ReviewAnswer,
  type ReviewFields,
  type SessionAnswer,
  type SignUpFields,
  type SyncAnswer,
  type UploadAnswer,
  type UserAnswer,
  type VideoUploadAnswer,
} from '@alpenglow/domain/contracts';
import { tabStorage } from '../host/browser-storage.ts';
import { t, type UiTextId } from '../i18n/i18n.ts';
import { takeFirstAnswer } from './first-answers.ts';
import {
  ApiError,
  createAdWording,
  errorOf,
  oneAdWording,
  readRefusal,
  signUpWording,
  uploadWording,
  wordedBy,
  type Wording,
} from './api-error.ts';
import { createPositions, type Positions } from './positions.ts';

/** No call but an upload may keep a visitor waiting longer. */
const REQUEST_TIMEOUT_ms = 30_000;

export const AD_SORTS = ['bumped', 'newest', 'price', 'price_desc'] as const;
export type AdSort = (typeof AD_SORTS)[number];

/** What `GET /ads` can be asked for. Absent means: no matter. */
export interface AdFilter {
  readonly state?: string;
  readonly city?: string;
  readonly category?: string;
  readonly q?: string;
  readonly sort?: AdSort;
  /** Whole dollars. */
  readonly minPrice?: number;
  readonly maxPrice?: number;
  /** Only ads with a photo of their own; of owners somebody has looked at; active within the last day. */
  readonly photo?: true;
  readonly verified?: true;
  readonly online?: true;
}

export interface PageRequest {
  readonly cursor?: string | null;
  /** 1 to 100. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

export interface HealthAnswer {
  readonly success: boolean;
  readonly status: string;
  readonly version?: string;
  readonly time?: string;
}

/** An ad, and the state of it that was seen: what `updateAd` takes, so that a change in between is not written over. */
export interface AdToEdit {
  readonly ad: AdView;
  /** The answer's `ETag`. */
  readonly revision: string | null;
}

export interface UploadOptions {
  /** From 0 to 1. */
  readonly onProgress?: (share: number) => void;
  readonly signal?: AbortSignal;
}

export interface ApiOptions {
  /** Ends in `/api`; same origin by default. */
  readonly baseUrl?: string;
  readonly token?: string | null;
  readonly positions?: Positions;
  /** Called when the server no longer knows the session of the token. */
  readonly onSessionEnded?: () => void;
}

/** A call of the API; a refusal is told in the server's own words. */
export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api`, e.g. `/community/threads`. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Gets the headers of an answer that is no refusal. */
  readonly onHeaders?: (headers: Headers) => void;
}

interface Call extends ApiCall {
  readonly timeout_ms?: number;
  readonly wording: Wording;
  readonly networkMessage?: UiTextId;
}

export type Api = ReturnType<typeof createApi>;

/**
 * The calls of the specification, section 7. Every one of them rejects with an `ApiError` whose message can be shown.
 * After a write, reads wait until the read models have come to it, so that users see what they have done.
 */
export function createApi({
  baseUrl = '/api',
  token = null,
  positions = createPositions(tabStorage()),
  onSessionEnded,
}: ApiOptions = {}) {
  async function call<Answer>({
    method = 'GET',
    path,
    body,
    headers,
    signal,
    timeout_ms = REQUEST_TIMEOUT_ms,
    wording,
    networkMessage,
    onHeaders,
  }: Call): Promise<Answer> {
    const first: unknown = method === 'GET' && token === null ? takeFirstAnswer(`${baseUrl}${path}`) : undefined;
    // Written by this project's own server, from the same query.
    if (first !== undefined) return first as Answer;
    const waitFor = method === 'GET' ? positions.latest() : null;
    const timeout = AbortSignal.timeout(timeout_ms);
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${baseUrl}${path}`, {
        method,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        headers: {
          Accept: 'application/json',
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...(token !== null && { Authorization: `Bearer ${token}` }),
          ...(waitFor !== null && { 'X-Wait-Position': waitFor }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      text = await response.text();
    } catch (error) {
      throw unanswered(error, networkMessage ?? 'api.network');
    }
    const position = response.headers.get('x-position');
    if (position) positions.seen(position);
    if (!response.ok) {
      if (response.status === 401 && token !== null) onSessionEnded?.();
      throw errorOf(
        readRefusal(response.status, response.statusText, text, response.headers.get('retry-after')),
        wording,
      );
    }
    onHeaders?.(response.headers);
    return parseAnswer<Answer>(text, response.status, wording);
  }

  /** A token is needed: without one there is nothing to ask the server. */
  function requireToken(): string {
    if (token === null || token === '')
      throw new ApiError(t('api.authenticationRequired'), { status: 0, code: 'NO_TOKEN' });
    return token;
  }

  /** As `call`, for calls that need a token. */
  async function callSignedIn<Answer>(request: Call): Promise<Answer> {
    requireToken();
    return call<Answer>(request);
  }

  /** A file as it is sent, under the name the answer gives it. */
  async function downloadSignedIn(path: string, signal?: AbortSignal): Promise<File> {
    const timeout = AbortSignal.timeout(UPLOAD_TIMEOUT_ms);
    const headers = { Authorization: `Bearer ${requireToken()}` };
    const response = await fetch(`${baseUrl}${path}`, {
      headers,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    }).catch((error: unknown) => {
      throw unanswered(error, 'api.network');
    });
    if (!response.ok) {
      if (response.status === 401) onSessionEnded?.();
      throw errorOf(
        readRefusal(response.status, response.statusText, await response.text(), response.headers.get('retry-after')),
        wordedBy(null),
      );
    }
    const name = /filename="([^"]+)"/u.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'download';
    const blob = await response.blob().catch((error: unknown) => {
      throw unanswered(error, 'api.network');
    });
    return new File([blob], name, { type: blob.type });
  }

  /** Sends files, all under the same name. `XMLHttpRequest`, because `fetch` does not tell how much has been sent. */
  async function upload<Answer>(
    path: string,
    field: string,
    files: readonly File[],
    { onProgress, signal }: UploadOptions,
    wording: Wording = uploadWording,
  ): Promise<Answer> {
    const authorization = `Bearer ${requireToken()}`;
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      const abort = () => request.abort();
      request.open('POST', `${baseUrl}${path}`);
      request.timeout = UPLOAD_TIMEOUT_ms;
      request.setRequestHeader('Authorization', authorization);
      request.setRequestHeader('Accept', 'application/json');
      request.upload.onprogress = ({ loaded, total }) => onProgress?.(total > 0 ? loaded / total : 0);
      request.onerror = () => reject(new ApiError(t('api.network'), { status: 0, code: 'NETWORK' }));
      request.ontimeout = () => reject(new ApiError(t('api.uploadTimeout'), { status: 0, code: 'TIMEOUT' }));
      request.onabort = () => reject(new ApiError(t('api.cancelled'), { status: 0, code: 'CANCELLED' }));
      request.onloadend = () => signal?.removeEventListener('abort', abort);
      request.onload = () => {
        const { status, statusText, responseText } = request;
        if (status < 200 || status >= 300) {
          if (status === 401) onSessionEnded?.();
          reject(
            errorOf(readRefusal(status, statusText, responseText, request.getResponseHeader('retry-after')), wording),
          );
          return;
        }
        const position = request.getResponseHeader('x-position');
        if (position) positions.seen(position);
        try {
          resolve(parseAnswer<Answer>(responseText, status, wording));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      if (signal?.aborted) {
        reject(new ApiError(t('api.cancelled'), { status: 0, code: 'CANCELLED' }));
        return;
      }
      signal?.addEventListener('abort', abort);
      const form = new FormData();
      for (const file of files) form.append(field, file, file.name);
      request.send(form);
    });
  }

  return {
    positions,

    /** For calls that one package alone makes: it words them itself, so that no other page carries them. */
    call: <Answer>(request: ApiCall) => call<Answer>({ ...request, wording: wordedBy(null) }),
    downloadSignedIn,
    /** As `call`, where a token is needed. */
    callSignedIn: <Answer>(request: ApiCall) => callSignedIn<Answer>({ ...request, wording: wordedBy(null) }),
    /** As `callSignedIn`, for files: all of them in one request, under `field`. */
    uploadSignedIn: <Answer>(path: string, field: string, files: readonly File[], options: UploadOptions = {}) =>
      upload<Answer>(path, field, files, options, wordedBy(null)),

    health: (signal?: AbortSignal) =>
      call<HealthAnswer>({ path: '/health', signal, timeout_ms: HEALTH_TIMEOUT_ms, wording: wordedBy(null) }),
    syncStatus: (signal?: AbortSignal) =>
      call<SyncAnswer>({ path: '/sync/status', signal, wording: wordedBy('api.syncStatusFailed') }),

    syncForce: () =>
      call<SyncAnswer>({ method: 'POST', path: '/sync/force', wording: wordedBy('api.syncForceFailed') }),

    /** `code` where two-step sign-in asks for one: refused as TWO_STEP_CODE_REQUIRED without. */
    login: (email: string, password: string, code?: string) =>
      call<SessionAnswer>({
        method: 'POST',
        path: '/auth/login',
        body: { email, password, ...(code !== undefined && { code }) },
        wording: wordedBy('api.loginFailed'),
      }),
    signup: (fields: SignUpFields) =>
      call<SessionAnswer>({
        method: 'POST',
        path: '/auth/signup',
        body: fields,
        wording: signUpWording,
        networkMessage: 'api.signUpNetwork',
      }),
    logout: () => callSignedIn<unknown>({ method: 'POST', path: '/auth/logout', wording: wordedBy(null) }),
    verify: (signal?: AbortSignal) =>
      callSignedIn<UserAnswer>({
        method: 'POST',
        path: '/auth/verify',
        signal,
        wording: wordedBy('api.tokenVerificationFailed'),
      }),
    verifyEmail: (email: string, code: string) =>
      call<UserAnswer>({
        method: 'POST',
        path: '/auth/verify-email',
        body: { email, code },
        wording: wordedBy('api.verificationFailed'),
      }),
    resendVerification: (email: string) =>
      call<ResendAnswer>({
        method: 'POST',
        path: '/auth/resend-verification',
        body: { email },
        wording: wordedBy('api.resendFailed'),
      }),

    /** Answers the same whether the address has an account or not. */
    forgotPassword: (email: string) =>
      call<DoneAnswer>({ method: 'POST', path: '/auth/forgot-password', body: { email }, wording: wordedBy(null) }),
    resetPassword: (email: string, code: string, newPassword: string) =>
      call<DoneAnswer>({
        method: 'POST',
        path: '/auth/reset-password',
        body: { email, code, newPassword },
        wording: wordedBy('api.resetFailed'),
      }),
    changePassword: (currentPassword: string, newPassword: string) =>
      callSignedIn<DoneAnswer>({
        method: 'POST',
        path: '/auth/change-password',
        body: { currentPassword, newPassword },
        wording: wordedBy(null),
      }),
    updateProfile: (fields: ProfileFields) =>
      callSignedIn<UserAnswer>({ method: 'PUT', path: '/auth/profile', body: fields, wording: wordedBy(null) }),

    /** How many ads there are per state, city and category; nothing given: everywhere. */
    adCounts: (place: Pick<AdFilter, 'state' | 'city'> = {}, signal?: AbortSignal) =>
      call<AdCountsAnswer>({ path: `/ads/counts${queryOf(place, {})}`, signal, wording: wordedBy('api.adsFailed') }),
    listAds: (filter: AdFilter, page: PageRequest = {}) =>
      call<AdListAnswer>({
        path: `/ads${queryOf(filter, page)}`,
        signal: page.signal,
        wording: wordedBy('api.adsFailed'),
      }),
    adsByLocation: (state: string, city: string, page: PageRequest = {}) =>
      call<AdListAnswer>({
        path: `/ads/location/${encodeURIComponent(state)}/${encodeURIComponent(city)}${queryOf({}, page)}`,
        signal: page.signal,
        wording: wordedBy('api.adsFailed'),
      }),
    async getAd(id: string, signal?: AbortSignal): Promise<AdView> {
      const answer = await call<AdAnswer>({ path: `/ads/${encodeURIComponent(id)}`, signal, wording: oneAdWording });
      return answer.data;
    },
    /** As `getAd`, for the form that changes it. */
    async getAdToEdit(id: string, signal?: AbortSignal): Promise<AdToEdit> {
      let revision: string | null = null;
      const onHeaders = (headers: Headers) => {
        revision = headers.get('etag');
      };
      const answer = await call<AdAnswer>({
        path: `/ads/${encodeURIComponent(id)}`,
        signal,
        wording: oneAdWording,
        onHeaders,
      });
      return { ad: answer.data, revision };
    },
    async userAds(signal?: AbortSignal): Promise<readonly AdCard[]> {
      const answer = await callSignedIn<AdListAnswer>({
        path: '/ads/user',
        signal,
        wording: wordedBy('api.userAdsFailed'),
      });
      return answer.data;
    },
    /**
     * `clientId` is the id this client made up for the ad: the same one again is the same request again. Without photos, three demo pictures
     * stand in (specification, section 5).
     */
    createAd: (fields: NewAdFields, clientId: string) =>
      callSignedIn<AdWriteAnswer>({
        method: 'POST',
        path: '/ads',
        body: {
          ...stateOfNewAd(),
          id: clientId,
          ...fields,
          photos: fields.photos.length > 0 ? fields.photos : FALLBACK_PICTURES.map(photoUrl),
        },
        headers: { 'Idempotency-Key': clientId },
        wording: createAdWording,
      }),
    /** `revision` is what `getAdToEdit` told: refused as STALE when the ad has changed since. Null writes in any case. */
    updateAd: (id: string, changes: AdChanges, revision: string | null = null) =>
      callSignedIn<AdWriteAnswer>({
        method: 'PUT',
        path: `/ads/${encodeURIComponent(id)}`,
        body: changes,
        ...(revision !== null && { headers: { 'If-Match': revision } }),
        wording: wordedBy('api.updateAdFailed'),
      }),
    deleteAd: (id: string) =>
      callSignedIn<AdWriteAnswer>({
        method: 'DELETE',
        path: `/ads/${encodeURIComponent(id)}`,
        wording: wordedBy('api.deleteAdFailed'),
      }),
    bumpAd: (id: string) =>
      callSignedIn<AdWriteAnswer>({
        method: 'POST',
        path: `/ads/${encodeURIComponent(id)}/bump`,
        wording: wordedBy('api.bumpAdFailed'),
      }),

    addReview: (adId: string, fields: ReviewFields) =>
      callSignedIn<ReviewAnswer>({
        method: 'POST',
        path: `/ads/${encodeURIComponent(adId)}/reviews`,
        body: fields,
        wording: wordedBy('api.reviewFailed'),
      }),

    /** Ids and cards of a client's favorites, the last added first. */
    favorites: (userId: string, signal?: AbortSignal) =>
      callSignedIn<FavoritesAnswer>({
        path: `/favorites/${encodeURIComponent(userId)}`,
        signal,
        wording: wordedBy('api.favoritesFailed'),
      }),
    addFavorite: (adId: string) =>
      callSignedIn<FavoriteAnswer>({
        method: 'POST',
        path: '/favorites',
        body: { adId },
        wording: wordedBy('api.addFavoriteFailed'),
      }),
    removeFavorite: (adId: string) =>
      callSignedIn<FavoriteAnswer>({
        method: 'DELETE',
        path: `/favorites/${encodeURIComponent(adId)}`,
        wording: wordedBy('api.removeFavoriteFailed'),
      }),

    /** One photo a call (specification, section 7). */
    uploadPhotos: (file: File, options: UploadOptions = {}) =>
      upload<UploadAnswer>('/uploads/photos', 'photos', [file], options),
    uploadVideo: (file: File, options: UploadOptions = {}) =>
      upload<VideoUploadAnswer>('/uploads/video', 'video', [file], options),
  };
}

/** What the specified client says of a new ad (specification, section 3). The server decides all of it by itself. */
function stateOfNewAd() {
  const now = new Date().toISOString();
  return {
    isActive: true,
    isFeatured: false,
    isDemo: false,
    verified: true,
    status: 'active',
    isOnline: true,
    lastBumpedAt: now,
    createdAt: now,
    updatedAt: now,
  };
}

function queryOf(filter: AdFilter, { cursor, limit }: PageRequest): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...filter, cursor, limit })) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

/** `fetch` threw: cancelled by the caller, or too slow, or the server cannot be reached. */
function unanswered(error: unknown, networkMessage: UiTextId): ApiError {
  const reason = error instanceof Error ? error.name : '';
  return reason === 'AbortError' || reason === 'TimeoutError'
    ? new ApiError(t('api.cancelled'), { status: 0, code: reason === 'AbortError' ? 'CANCELLED' : 'TIMEOUT' })
    : new ApiError(t(networkMessage), { status: 0, code: 'NETWORK' });
}

/** An answer that says `success: false` is a refusal, whatever its status says. */
function parseAnswer<Answer>(text: string, status: number, wording: Wording): Answer {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new ApiError(t('api.http', { status }), { status, code: 'BAD_ANSWER' });
  }
  if (typeof answer === 'object' && answer !== null && 'success' in answer && answer.success === false)
    throw errorOf(readRefusal(status, '', text, null), wording);
  return answer as Answer;
}
