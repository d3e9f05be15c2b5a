import type { FollowMailMode, NewThreadFields, ThreadSort, PathTo, SentBodyOf } from '@alpenglow/domain/contracts';
import { queryOf, type Api } from '@alpenglow/ui';
import type { ChosenPlace } from '../write/place-chooser.tsx';

export type ReplyFields = Pick<NewThreadFields, 'body'> & { readonly quotedNumber: number | null };
export type PostChanges = Pick<NewThreadFields, 'body'> & Partial<Pick<NewThreadFields, 'title'>>;

/** The functions of this file send API requests. They reject with an `ApiError` that contains the server's message. */

/**
 * Place and sort order of a list of threads. A list without a place contains all threads. A list without a sort order
 * starts with the thread that has the latest post.
 */
export interface ThreadFilter {
  readonly country?: string;
  readonly state?: string;
  readonly city?: string;
  readonly sort?: Exclude<ThreadSort, 'latest'>;
}

/**
 * Selects a page of replies. `post` selects the page that contains this reply, or the last page. `cursor` selects the
 * page that an earlier response refers to. Null selects the first page.
 */
export type RepliesPage = { readonly post: number | 'last' } | { readonly cursor: string } | null;

/**
 * Returns the API path of a list of threads. The server embeds first pages in the first HTML under the same paths. The
 * order of the parameters must therefore be the same as on the server, and the default order is omitted.
 */
export const getThreadsPath = ({ country, state, city, sort }: ThreadFilter, cursor: string | null = null) =>
  `/community/threads${queryOf({ country, state, city, sort, cursor })}` as const;

const threadPath = (idOrSlug: string) => `/community/threads/${encodeURIComponent(idOrSlug)}` as const;
const postPath = (id: string, number: number) => `${threadPath(id)}/posts/${number}` as const;

export const listThreads = (api: Api, filter: ThreadFilter, cursor: string | null, signal?: AbortSignal) =>
  api.request<'listThreads'>({ path: getThreadsPath(filter, cursor), signal });

export const listPlaces = (api: Api, signal?: AbortSignal) =>
  api.request<'listCommunityLocations'>({ path: '/community/locations', signal });

export const readThread = (api: Api, idOrSlug: string, page: RepliesPage, signal?: AbortSignal) =>
  api.request<'getThread'>({ path: `${threadPath(idOrSlug)}${queryOf(page ?? {})}`, signal });

/** The number of results of each kind is the default of the API if `limit` is null. */
export const searchCommunity = (api: Api, q: string, limit: number | null, signal?: AbortSignal) =>
  api.request<'search'>({ path: `/search${queryOf({ q, limit })}`, signal });

type NewPost = 'startThread' | 'replyToThread';
/** Sends a write request. A repeated request with the same idempotency key has no further effect. */
const post = (api: Api, path: PathTo<NewPost>, body: SentBodyOf<NewPost>, key: string) =>
  api.requestWithToken<NewPost>({
    method: 'POST',
    path,
    body,
    headers: { 'Idempotency-Key': key },
  });

type Change = 'editPost' | 'hidePost' | 'lockThread' | 'pinThread' | 'moveThread';
const put = (api: Api, path: PathTo<Change>, body: SentBodyOf<Change>) =>
  api.requestWithToken<Change>({ method: 'PUT', path, body });

export const startThread = (api: Api, fields: NewThreadFields, key: string) =>
  post(api, '/community/threads', fields, key);

export const postReply = (api: Api, id: string, fields: ReplyFields, key: string) =>
  post(api, `${threadPath(id)}/replies`, fields, key);

export const editPost = (api: Api, id: string, number: number, fields: PostChanges) =>
  put(api, postPath(id, number), fields);

export const deletePost = (api: Api, id: string, number: number) =>
  api.requestWithToken<'deletePost'>({ method: 'DELETE', path: postPath(id, number) });

export const readHistory = (api: Api, id: string, number: number, signal?: AbortSignal) =>
  api.requestWithToken<'getPostHistory'>({ path: `${postPath(id, number)}/history`, signal });

export const markHelpful = (api: Api, id: string, number: number, isHelpful: boolean) =>
  api.requestWithToken<'markHelpful' | 'unmarkHelpful'>({
    method: isHelpful ? 'POST' : 'DELETE',
    path: `${postPath(id, number)}/helpful`,
  });

/** Follows a thread with the given mail setting, or stops following it if `mail` is null. */
export const follow = (api: Api, id: string, mail: FollowMailMode | null) =>
  api.requestWithToken<'followThread' | 'unfollowThread'>({
    path: `${threadPath(id)}/follow`,
    ...(mail === null ? { method: 'DELETE' } : { method: 'PUT', body: { mail } }),
  });

export const listFollows = (api: Api, signal?: AbortSignal) =>
  api.requestWithToken<'listFollows'>({ path: '/community/follows', signal });

export const unsubscribe = (api: Api, token: string) =>
  api.request<'unsubscribe'>({ method: 'POST', path: '/community/unsubscribe', body: { token } });

export const previewMarkdown = (api: Api, body: string, signal?: AbortSignal) =>
  api.requestWithToken<'previewPost'>({ method: 'POST', path: '/community/preview', body: { body }, signal });

/** Hides a post with an optional reason, or shows it again if `hidden` is false. */
export const hidePost = (api: Api, id: string, number: number, hidden: boolean, reason: string | null = null) =>
  put(api, `/admin${postPath(id, number)}/hidden`, { hidden, reason });

export const lockThread = (api: Api, id: string, locked: boolean) =>
  put(api, `/admin${threadPath(id)}/locked`, { locked });

export const pinThread = (api: Api, id: string, pinned: boolean) =>
  put(api, `/admin${threadPath(id)}/pinned`, { pinned });

export const moveThread = (api: Api, id: string, place: ChosenPlace) =>
  put(api, `/admin${threadPath(id)}/place`, place);
