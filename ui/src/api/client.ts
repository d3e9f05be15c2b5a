import type {
  AdSort,
  MethodOf,
  OperationId,
  PathTo,
  ReadId,
  ResponseOf,
  SentBodyOf,
} from '@alpenglow/domain/contracts';
import { getTabStorage } from '../host/browser-storage.ts';
import { t, type UiTextId } from '../i18n/i18n.ts';
import { parseWithAdNames } from './ad-names.ts';
import { takeEmbeddedResponse } from './embedded-responses.ts';
import {
  ApiError,
  toApiError,
  isApiError,
  parseErrorResponse,
  createErrorFormatter,
  type ErrorFormatter,
} from './api-error.ts';
import { createPositionStore, type PositionStore } from './position-store.ts';
import { SHORT_LIST, withParameter } from './query-string.ts';
import { createTimeLimit } from './time-limit.ts';
import { createTraceparent } from './traceparent.ts';

/** Default timeout of requests. Uploads, downloads and the health check have their own timeouts. */
const REQUEST_TIMEOUT_ms = 30_000;
export const adPath = (id: string) => `/ads/${encodeURIComponent(id)}` as const;

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
  /** Returns false if this browser no longer stores the session, for example because another program removed it. */
  readonly hasStoredSession?: (() => boolean) | undefined;
}

/** A request to the API. If the request fails, the thrown error contains the server's message. */
interface ApiRequest {
  readonly method?: MethodOf<OperationId>;
  /** Path below `/api`, e.g. `/community/threads`. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly onHeaders?: (headers: Headers) => void;
  readonly timeout_ms?: number;
  /** Creates the message of an error. The default is the server's message. */
  readonly formatMessage?: ErrorFormatter;
  readonly networkMessage?: UiTextId;
}

type RequestTo<Id extends OperationId> = Omit<Call, 'method' | 'path' | 'body'> & {
  readonly path: PathTo<Id>;
  readonly body?: SentBodyOf<Id>;
};

/**
 * A request of an operation. Its method, path and body are those of the declaration of the operation. The method of a
 * read is omitted.
 */
export type OperationRequest<Id extends OperationId> = RequestTo<Id> &
  (MethodOf<Id> extends 'GET' ? unknown : { readonly method: MethodOf<Id> });

/** Sends a request of an operation. The first signature is for functions that send any read. */
interface SendRequest {
  <Id extends ReadId>(request: RequestTo<Id>): Promise<ResponseOf<Id>>;
  <Id extends OperationId>(request: OperationRequest<Id>): Promise<ResponseOf<Id>>;
}

interface Call extends ApiRequest {
  /** A query parameter that is added to the path of the request, but not to the path of its embedded response. */
  readonly parameter?: string | undefined;
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
    parameter,
  }: Call): Promise<Result> {
    const embedded: unknown =
      method === 'GET' && token === null ? takeEmbeddedResponse(`${baseUrl}${path}`) : undefined;
    // The server has already embedded this response in the page, so no request is needed.
    if (embedded !== undefined) return embedded as Result;
    const waitFor = method === 'GET' ? positions.toHeader() : null;
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${baseUrl}${parameter === undefined ? path : withParameter(path, parameter)}`, {
        method,
        signal: createTimeLimit(timeout_ms, signal),
        headers: { ...createHeaders(token, waitFor, body !== undefined), ...headers },
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

  const sendSignedIn = <Id extends OperationId>(
    method: MethodOf<Id>,
    path: PathTo<Id>,
    failedText: UiTextId | null,
    body?: SentBodyOf<Id>,
  ) => callSignedIn<ResponseOf<Id>>({ method, path, body, formatMessage: createErrorFormatter(failedText) });

  return {
    positions,
    baseUrl,
    requireToken,
    onSessionEnded,

    /**
     * Sends a request that is not a method of this client. The methods are the requests of favorites. All others are
     * functions with the client as a parameter, so that a bundle contains only those that it uses.
     */
    request: call as SendRequest,
    /** Sends a request with the session token. Throws if there is no token. */
    requestWithToken: callSignedIn as SendRequest,
    /**
     * Returns the ids and the ad cards (short views) of a user's favorite ads. The ad that was added last comes first.
     */
    favorites: async (userId: string, signal?: AbortSignal) => {
      requireToken();
      const path = `/favorites/${encodeURIComponent(userId)}` as const;
      const formatMessage = createErrorFormatter('api.favoritesFailed');
      return call<ResponseOf<'listFavorites'>>({ path, parameter: SHORT_LIST, signal, formatMessage });
    },
    addFavorite: (adId: string) => sendSignedIn<'addFavorite'>('POST', '/favorites', 'api.addFavoriteFailed', { adId }),
    removeFavorite: (adId: string) =>
      sendSignedIn<'removeFavorite'>('DELETE', `/favorites/${encodeURIComponent(adId)}`, 'api.removeFavoriteFailed'),
  };
}

const createHeaders = (token: string | null, waitFor: string | null, hasBody: boolean): HeadersInit => ({
  Accept: 'application/json',
  traceparent: createTraceparent(),
  ...(hasBody && { 'Content-Type': 'application/json' }),
  ...(token !== null && { Authorization: `Bearer ${token}` }),
  ...(waitFor !== null && { 'X-Wait-Position': waitFor }),
});

/**
 * Converts an error of `fetch` to an `ApiError`. Its code is CANCELLED, TIMEOUT, or NETWORK if the server was not
 * reachable.
 */
export function networkError(error: unknown, networkMessage: UiTextId): ApiError {
  const reason = error instanceof Error ? error.name : '';
  if (reason !== 'AbortError' && reason !== 'TimeoutError') return withoutResponse(networkMessage, 'NETWORK');
  return withoutResponse('api.cancelled', reason === 'AbortError' ? 'CANCELLED' : 'TIMEOUT');
}

export const withoutResponse = (text: UiTextId, code: string) => new ApiError(t(text), { status: 0, code });

export function errorOf(
  { status, statusText, headers }: Response,
  text: string,
  formatMessage: ErrorFormatter,
): ApiError {
  return toApiError(parseErrorResponse(status, statusText, text, headers.get('retry-after')), formatMessage);
}

/** Parses a response body. Throws if the body contains `success: false`, even if the status is below 400. */
export function parseResponse<Result>(text: string, status: number, formatMessage: ErrorFormatter): Result {
  let response: unknown;
  try {
    response = parseWithAdNames(text);
  } catch {
    throw new ApiError(t('api.http', { status }), { status, code: 'BAD_ANSWER' });
  }
  if (typeof response === 'object' && response !== null && 'success' in response && response.success === false)
    throw toApiError(parseErrorResponse(status, '', text, null), formatMessage);
  return response as Result;
}
