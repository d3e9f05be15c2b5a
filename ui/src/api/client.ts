import {
  FALLBACK_PICTURE_IDS,
  HEALTH_TIMEOUT_ms,
  UPLOAD_TIMEOUT_ms,
  photoUrl,
  type AdResponse,
  type AdCard,
  type AdCountsResponse,
  type AdChanges,
  type AdListResponse,
  type AdSort,
  type AdView,
  type AdWriteResponse,
  type EmptyResultResponse,
  type FavoriteResponse,
  type FavoritesResponse,
  type NewAdFields,
  type ProfileFields,
  type ResetPasswordFields,
  type ResendResponse,
  type ReviewDeletedResponse,
  type ReviewResponse,
  type ReviewFields,
  type SessionResponse,
  type SignUpFields,
  type SyncResponse,
  type PhotoUploadResponse,
  type UserResponse,
  type VideoUploadResponse,
} from '@alpenglow/domain/contracts';
import { getTabStorage } from '../host/browser-storage.ts';
import { t, type UiTextId } from '../i18n/i18n.ts';
import type { AdsCache } from './ads-cache.ts';
import { findAdsCache } from './find-ads-cache.ts';
import { takeEmbeddedResponse } from './embedded-responses.ts';
import {
  ApiError,
  formatCreateAdError,
  toApiError,
  formatGetAdError,
  isApiError,
  parseErrorResponse,
  formatSignUpError,
  formatUploadError,
  createErrorFormatter,
  type ErrorFormatter,
} from './api-error.ts';
import { createPositionStore, type PositionStore } from './position-store.ts';
import { toQueryString } from './query-string.ts';

/** Default timeout of requests. Uploads, downloads and the health check have their own timeouts. */
const REQUEST_TIMEOUT_ms = 30_000;
const adPath = (id: string) => `/ads/${encodeURIComponent(id)}`;
const reviewPath = (adId: string, reviewId: string) => `${adPath(adId)}/reviews/${encodeURIComponent(reviewId)}`;

/** Filters of `GET /ads`. An omitted filter matches every ad. */
export interface AdFilter {
  readonly state?: string;
  readonly city?: string;
  readonly category?: string;
  readonly q?: string;
  readonly sort?: AdSort;
  /** Lowest price in whole dollars. */
  readonly minPrice?: number;
  readonly maxPrice?: number;
  /** True restricts the list to ads with a photo that the provider has uploaded. */
  readonly photo?: true;
  readonly verified?: true;
  readonly online?: true;
}

export interface PageRequest {
  readonly cursor?: string | null;
  /** Number of items per page, from 1 to 100. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

export interface HealthResponse {
  readonly success: boolean;
  readonly status: string;
  readonly version?: string;
  readonly time?: string;
}

/**
 * An ad with its revision. If another client has changed the ad since this revision, `updateAd` with this revision
 * fails.
 */
export interface AdToEdit {
  readonly ad: AdView;
  readonly revision: string | null;
}

export interface UploadOptions {
  /** Called repeatedly during an upload. `share` is the uploaded fraction of the files, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
  readonly signal?: AbortSignal;
}

export interface ApiOptions {
  /** URL that ends in `/api`. By default, requests go to the origin of the page. */
  readonly baseUrl?: string;
  readonly token?: string | null;
  readonly positions?: PositionStore;
  /** Called when the API rejects a request because the session of `token` has ended. */
  readonly onSessionEnded?: () => void;
  /**
   * Asks the user to enter the password again, because the server requires it for a request. Resolves with true if the
   * request can be repeated.
   */
  readonly confirmPassword?: (() => Promise<boolean>) | undefined;
  /**
   * Returns the lists of ads for the case that the server is not reachable. By default, there is a cache on localhost
   * only. It is called for each list and not at the start, so that its code does not delay the first screen.
   */
  readonly findCache?: () => Promise<AdsCache | null>;
  /** Returns false if this browser no longer stores the session, for example because another program removed it. */
  readonly hasStoredSession?: (() => boolean) | undefined;
}

/** A request to the API. If the request fails, the thrown error contains the server's message. */
export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below `/api`, e.g. `/community/threads`. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly onHeaders?: (headers: Headers) => void;
}

interface Call extends ApiRequest {
  readonly timeout_ms?: number;
  /** Creates the message of an error. The default is the server's message. */
  readonly formatMessage?: ErrorFormatter;
  readonly networkMessage?: UiTextId;
}

export type Api = ReturnType<typeof createApi>;

/**
 * Creates a client for the API. If a request fails, the method rejects with an `ApiError`, whose message can be
 * shown to the user. After a write, read requests wait until the server's read models contain this write, so that users
 * see their own changes.
 */
export function createApi({
  baseUrl = '/api',
  token = null,
  positions = createPositionStore(getTabStorage()),
  onSessionEnded,
  confirmPassword,
  findCache = findAdsCache,
  hasStoredSession = () => true,
}: ApiOptions = {}) {
  async function call<Result>(request: Call): Promise<Result> {
    try {
      return await callOnce<Result>(request);
    } catch (error) {
      const isRepeatable = isApiError(error) && error.code === 'CONFIRMATION_REQUIRED' && (await confirmPassword?.());
      if (isRepeatable) return callOnce<Result>(request);
      throw error;
    }
  }

  async function callOnce<Result>({
    method = 'GET',
    path,
    body,
    headers,
    signal,
    timeout_ms = REQUEST_TIMEOUT_ms,
    formatMessage = createErrorFormatter(null),
    networkMessage = 'api.network',
    onHeaders,
  }: Call): Promise<Result> {
    const embedded: unknown =
      method === 'GET' && token === null ? takeEmbeddedResponse(`${baseUrl}${path}`) : undefined;
    // The server has already embedded this response in the page, so no request is needed.
    if (embedded !== undefined) return embedded as Result;
    const waitFor = method === 'GET' ? positions.toHeader() : null;
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
      throw networkError(error, networkMessage);
    }
    const position = response.headers.get('x-position');
    if (position) positions.recordWrite(position);
    if (!response.ok) {
      if (response.status === 401 && token !== null) onSessionEnded?.();
      throw errorOf(response, text, formatMessage);
    }
    onHeaders?.(response.headers);
    return parseResponse<Result>(text, response.status, formatMessage);
  }

  /** Returns the session token. Throws if there is no token, because the server would reject the request. */
  function requireToken(): string {
    if (token === null || token === '' || !hasStoredSession())
      throw withoutResponse('api.authenticationRequired', 'NO_TOKEN');
    return token;
  }

  async function callSignedIn<Result>(request: Call): Promise<Result> {
    requireToken();
    return call<Result>(request);
  }

  /**
   * Downloads a file that only signed-in users can read. The name of the returned file is from the
   * `Content-Disposition` header.
   */
  async function downloadSignedIn(path: string, signal?: AbortSignal): Promise<File> {
    const timeout = AbortSignal.timeout(UPLOAD_TIMEOUT_ms);
    const headers = { Authorization: `Bearer ${requireToken()}` };
    const onNetworkError = (error: unknown) => {
      throw networkError(error, 'api.network');
    };
    const response = await fetch(`${baseUrl}${path}`, {
      headers,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    }).catch(onNetworkError);
    if (!response.ok) {
      if (response.status === 401) onSessionEnded?.();
      throw errorOf(response, await response.text(), createErrorFormatter(null));
    }
    const name = /filename="([^"]+)"/u.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'download';
    const blob = await response.blob().catch(onNetworkError);
    return new File([blob], name, { type: blob.type });
  }

  /** Uploads files in one form field. Uses `XMLHttpRequest`, because `fetch` does not report the upload progress. */
  async function upload<Result>(
    path: string,
    field: string,
    files: readonly File[],
    { onProgress, signal }: UploadOptions,
    formatMessage: ErrorFormatter = formatUploadError,
  ): Promise<Result> {
    const authorization = `Bearer ${requireToken()}`;
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      const abort = () => request.abort();
      request.open('POST', `${baseUrl}${path}`);
      request.timeout = UPLOAD_TIMEOUT_ms;
      request.setRequestHeader('Authorization', authorization);
      request.setRequestHeader('Accept', 'application/json');
      request.upload.onprogress = ({ loaded, total }) => onProgress?.(total > 0 ? loaded / total : 0);
      request.onerror = () => reject(withoutResponse('api.network', 'NETWORK'));
      request.ontimeout = () => reject(withoutResponse('api.uploadTimeout', 'TIMEOUT'));
      request.onabort = () => reject(withoutResponse('api.cancelled', 'CANCELLED'));
      request.onloadend = () => signal?.removeEventListener('abort', abort);
      request.onload = () => {
        const { status, statusText, responseText } = request;
        if (status < 200 || status >= 300) {
          if (status === 401) onSessionEnded?.();
          const retryAfter = request.getResponseHeader('retry-after');
          reject(toApiError(parseErrorResponse(status, statusText, responseText, retryAfter), formatMessage));
          return;
        }
        const position = request.getResponseHeader('x-position');
        if (position) positions.recordWrite(position);
        try {
          resolve(parseResponse<Result>(responseText, status, formatMessage));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      if (signal?.aborted) {
        reject(withoutResponse('api.cancelled', 'CANCELLED'));
        return;
      }
      signal?.addEventListener('abort', abort);
      const form = new FormData();
      for (const file of files) form.append(field, file, file.name);
      request.send(form);
    });
  }

  type Method = 'POST' | 'PUT' | 'DELETE';
  const get = <Result>(path: string, failedText: UiTextId, signal?: AbortSignal) =>
    call<Result>({ path, signal, formatMessage: createErrorFormatter(failedText) });

  /** Returns a list of ads. If the server is not reachable, it returns the list of the cache. */
  async function getAds(path: string, signal?: AbortSignal): Promise<AdListResponse> {
    try {
      const list = await get<AdListResponse>(path, 'api.adsFailed', signal);
      (await findCache())?.set(path, list);
      return list;
    } catch (error) {
      const stored = isApiError(error) && error.code === 'NETWORK' && (await findCache())?.get(path);
      if (stored) return stored;
      throw error;
    }
  }

  const send = <Result>(path: string, body: unknown, failedText: UiTextId | null) =>
    call<Result>({ method: 'POST', path, body, formatMessage: createErrorFormatter(failedText) });

  const sendSignedIn = <Result>(method: Method, path: string, failedText: UiTextId | null, body?: unknown) =>
    callSignedIn<Result>({ method, path, body, formatMessage: createErrorFormatter(failedText) });

  return {
    positions,

    /**
     * Sends a request that is not a method of this client. Packages use this function for requests that no other
     * package needs. Other bundles therefore do not contain these requests.
     */
    request: <Result>(request: ApiRequest) => call<Result>(request),
    downloadSignedIn,
    /** Sends a request with the session token. Throws if there is no token. */
    requestWithToken: <Result>(request: ApiRequest) => callSignedIn<Result>(request),
    /** Uploads all files in one request with the session token. `field` is the name of the form field. */
    uploadWithToken: <Result>(path: string, field: string, files: readonly File[], options: UploadOptions = {}) =>
      upload<Result>(path, field, files, options, createErrorFormatter(null)),

    health: (signal?: AbortSignal) => call<HealthResponse>({ path: '/health', signal, timeout_ms: HEALTH_TIMEOUT_ms }),
    syncStatus: (signal?: AbortSignal) => get<SyncResponse>('/sync/status', 'api.syncStatusFailed', signal),
    syncForce: () => send<SyncResponse>('/sync/force', undefined, 'api.syncForceFailed'),

    /**
     * Logs in. If the account uses two-step sign-in, a login without `code` fails with TWO_STEP_CODE_REQUIRED. After
     * many failed logins to the account, it fails with LOGIN_CODE_REQUIRED.
     */
    login: (email: string, password: string, code?: string) =>
      send<SessionResponse>('/auth/login', { email, password, code }, 'api.loginFailed'),
    signup: (fields: SignUpFields) =>
      call<SessionResponse>({
        method: 'POST',
        path: '/auth/signup',
        body: fields,
        formatMessage: formatSignUpError,
        networkMessage: 'api.signUpNetwork',
      }),
    logout: () => sendSignedIn<unknown>('POST', '/auth/logout', null),
    verify: () => sendSignedIn<UserResponse>('POST', '/auth/verify', 'api.tokenVerificationFailed'),
    verifyEmail: (email: string, code: string) =>
      send<UserResponse>('/auth/verify-email', { email, code }, 'api.verificationFailed'),
    resendVerification: (email: string) =>
      send<ResendResponse>('/auth/resend-verification', { email }, 'api.resendFailed'),

    /** Requests a code for a new password. The response does not show whether the address has an account. */
    forgotPassword: (email: string) => send<EmptyResultResponse>('/auth/forgot-password', { email }, null),
    /** Sets a new password. Without the data of the owner, it fails with PROFILE_REQUIRED for an unverified address. */
    resetPassword: (fields: ResetPasswordFields) =>
      send<EmptyResultResponse>('/auth/reset-password', fields, 'api.resetFailed'),
    changePassword: (currentPassword: string, newPassword: string) =>
      sendSignedIn<EmptyResultResponse>('POST', '/auth/change-password', null, { currentPassword, newPassword }),
    updateProfile: (fields: ProfileFields) => sendSignedIn<UserResponse>('PUT', '/auth/profile', null, fields),

    /** Returns the number of ads by state, city and category. `place` restricts the counts to one state or city. */
    adCounts: (place: Pick<AdFilter, 'state' | 'city'> = {}, signal?: AbortSignal) =>
      get<AdCountsResponse>(`/ads/counts${toQueryString({ ...place })}`, 'api.adsFailed', signal),
    listAds: (filter: AdFilter, { signal, ...page }: PageRequest = {}) =>
      getAds(`/ads${toQueryString({ ...filter, ...page })}`, signal),
    adsByLocation: (state: string, city: string, { signal, ...page }: PageRequest = {}) => {
      const path = `/ads/location/${encodeURIComponent(state)}/${encodeURIComponent(city)}`;
      return getAds(path + toQueryString({ ...page }), signal);
    },
    /** Returns ads of a city and of cities nearby. Without a city, the largest city of the state is used. */
    nearbyAds: (place: Pick<AdFilter, 'state' | 'city'>, { signal, ...page }: PageRequest = {}) =>
      get<AdListResponse>(`/ads/nearby${toQueryString({ ...place, ...page })}`, 'api.adsFailed', signal),
    getAd: async (id: string, signal?: AbortSignal): Promise<AdView> =>
      (await call<AdResponse>({ path: adPath(id), signal, formatMessage: formatGetAdError })).data,
    /** Returns an ad with its revision. The edit form passes the revision to `updateAd`. */
    async getAdToEdit(id: string, signal?: AbortSignal): Promise<AdToEdit> {
      let revision: string | null = null;
      const onHeaders = (headers: Headers) => {
        revision = headers.get('etag');
      };
      const request = { path: adPath(id), signal, formatMessage: formatGetAdError, onHeaders };
      const { data: ad } = await call<AdResponse>(request);
      return { ad, revision };
    },
    userAds: async (signal?: AbortSignal): Promise<readonly AdCard[]> => {
      requireToken();
      return (await get<AdListResponse>('/ads/user', 'api.userAdsFailed', signal)).data;
    },
    /**
     * Creates an ad. The client generates `clientId`, so that a retry does not create a second ad. An ad without photos
     * gets three demo pictures.
     */
    createAd: (fields: NewAdFields, clientId: string) =>
      callSignedIn<AdWriteResponse>({
        method: 'POST',
        path: '/ads',
        body: {
          ...stateOfNewAd(),
          id: clientId,
          ...fields,
          photos: fields.photos.length > 0 ? fields.photos : FALLBACK_PICTURE_IDS.map(photoUrl),
        },
        headers: { 'Idempotency-Key': clientId },
        formatMessage: formatCreateAdError,
      }),
    /**
     * Updates an ad. With a `revision`, the update fails with STALE if the ad has changed after this revision. With
     * null, the update overwrites the ad in every case.
     */
    updateAd: (id: string, changes: AdChanges, revision: string | null = null) =>
      callSignedIn<AdWriteResponse>({
        method: 'PUT',
        path: adPath(id),
        body: changes,
        ...(revision !== null && { headers: { 'If-Match': revision } }),
        formatMessage: createErrorFormatter('api.updateAdFailed'),
      }),
    deleteAd: (id: string) => sendSignedIn<AdWriteResponse>('DELETE', adPath(id), 'api.deleteAdFailed'),
    bumpAd: (id: string) => sendSignedIn<AdWriteResponse>('POST', `${adPath(id)}/bump`, 'api.bumpAdFailed'),

    addReview: (adId: string, fields: ReviewFields) =>
      sendSignedIn<ReviewResponse>('POST', `${adPath(adId)}/reviews`, 'api.reviewFailed', fields),
    editReview: (adId: string, reviewId: string, fields: ReviewFields) =>
      sendSignedIn<ReviewResponse>('PUT', reviewPath(adId, reviewId), 'api.reviewFailed', fields),
    deleteReview: (adId: string, reviewId: string) =>
      sendSignedIn<ReviewDeletedResponse>('DELETE', reviewPath(adId, reviewId), 'api.reviewDeleteFailed'),

    /**
     * Returns the ids and the ad cards (short views) of a user's favorite ads. The ad that was added last comes first.
     */
    favorites: async (userId: string, signal?: AbortSignal) => {
      requireToken();
      return get<FavoritesResponse>(`/favorites/${encodeURIComponent(userId)}`, 'api.favoritesFailed', signal);
    },
    addFavorite: (adId: string) =>
      sendSignedIn<FavoriteResponse>('POST', '/favorites', 'api.addFavoriteFailed', { adId }),
    removeFavorite: (adId: string) =>
      sendSignedIn<FavoriteResponse>('DELETE', `/favorites/${encodeURIComponent(adId)}`, 'api.removeFavoriteFailed'),

    /** Uploads one photo per request. */
    uploadPhotos: (file: File, options: UploadOptions = {}) =>
      upload<PhotoUploadResponse>('/uploads/photos', 'photos', [file], options),
    uploadVideo: (file: File, options: UploadOptions = {}) =>
      upload<VideoUploadResponse>('/uploads/video', 'video', [file], options),
  };
}

/**
 * Returns the state fields that a request for a new ad must contain. The server ignores their values and sets
 * the state of the ad itself.
 */
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

/**
 * Converts an error of `fetch` to an `ApiError`. Its code is CANCELLED, TIMEOUT, or NETWORK if the server was not
 * reachable.
 */
function networkError(error: unknown, networkMessage: UiTextId): ApiError {
  const reason = error instanceof Error ? error.name : '';
  if (reason !== 'AbortError' && reason !== 'TimeoutError') return withoutResponse(networkMessage, 'NETWORK');
  return withoutResponse('api.cancelled', reason === 'AbortError' ? 'CANCELLED' : 'TIMEOUT');
}

const withoutResponse = (text: UiTextId, code: string) => new ApiError(t(text), { status: 0, code });

function errorOf({ status, statusText, headers }: Response, text: string, formatMessage: ErrorFormatter): ApiError {
  return toApiError(parseErrorResponse(status, statusText, text, headers.get('retry-after')), formatMessage);
}

/** Parses a response body. Throws if the body contains `success: false`, even if the status is below 400. */
function parseResponse<Result>(text: string, status: number, formatMessage: ErrorFormatter): Result {
  let response: unknown;
  try {
    response = JSON.parse(text);
  } catch {
    throw new ApiError(t('api.http', { status }), { status, code: 'BAD_ANSWER' });
  }
  if (typeof response === 'object' && response !== null && 'success' in response && response.success === false)
    throw toApiError(parseErrorResponse(status, '', text, null), formatMessage);
  return response as Result;
}
