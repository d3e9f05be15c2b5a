import type {
  CommunityLocationsAnswer,
  FollowAnswer,
  FollowMail,
  FollowsAnswer,
  HelpfulAnswer,
  HiddenPostsAnswer,
  NewThreadFields,
  DoneAnswer,
  PostHistoryAnswer,
  PreviewAnswer,
  SearchAnswer,
  ThreadAnswer,
  ThreadListAnswer,
  ThreadWriteAnswer,
} from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';

/** The calls of the community. Each rejects with an `ApiError` in the server's words. */

export const THREAD_SORTS = ['latest', 'active', 'newest'] as const;
export type ThreadSort = (typeof THREAD_SORTS)[number];

/** Which threads, in which order. Absent: everywhere, those with the last post first. */
export interface ThreadFilter {
  readonly country?: string;
  readonly state?: string;
  readonly city?: string;
  readonly sort?: Exclude<ThreadSort, 'latest'>;
}

/** Which page of a thread's replies: the one with a reply, the last one, or the one a cursor stands for. */
export type RepliesPage = { readonly post: number | 'last' } | { readonly cursor: string } | null;

const queryOf = (entries: Readonly<Record<string, string | number | null | undefined>>): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(entries))
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  return search.size === 0 ? '' : `?${search}`;
};

/** The server puts first pages into the first HTML under these very paths: country, state, city, then the order where it is not the usual one. */
export const threadsPath = ({ country, state, city, sort }: ThreadFilter, cursor: string | null = null): string =>
  `/community/threads${queryOf({ country, state, city, sort, cursor })}`;

const threadPath = (idOrSlug: string) => `/community/threads/${encodeURIComponent(idOrSlug)}`;
const postPath = (id: string, number: number) => `${threadPath(id)}/posts/${number}`;
const once = (key: string) => ({ 'Idempotency-Key': key });

export const listThreads = (api: Api, filter: ThreadFilter, cursor: string | null, signal?: AbortSignal) =>
  api.call<ThreadListAnswer>({ path: threadsPath(filter, cursor), signal });

export const listPlaces = (api: Api, signal?: AbortSignal) =>
  api.call<CommunityLocationsAnswer>({ path: '/community/locations', signal });

export const readThread = (api: Api, idOrSlug: string, page: RepliesPage, signal?: AbortSignal) =>
  api.call<ThreadAnswer>({ path: `${threadPath(idOrSlug)}${queryOf(page ?? {})}`, signal });

export const search = (api: Api, q: string, limit: number, signal?: AbortSignal) =>
  api.call<SearchAnswer>({ path: `/search${queryOf({ q, limit })}`, signal });

export const startThread = (api: Api, fields: NewThreadFields, key: string) =>
  api.callSignedIn<ThreadWriteAnswer>({ method: 'POST', path: '/community/threads', body: fields, headers: once(key) });

export const reply = (
  api: Api,
  id: string,
  fields: { readonly body: string; readonly quotedNumber: number | null },
  key: string,
) =>
  api.callSignedIn<ThreadWriteAnswer>({
    method: 'POST',
    path: `${threadPath(id)}/replies`,
    body: fields,
    headers: once(key),
  });

export const editPost = (
  api: Api,
  id: string,
  number: number,
  fields: { readonly title?: string; readonly body: string },
) => api.callSignedIn<ThreadWriteAnswer>({ method: 'PUT', path: postPath(id, number), body: fields });

export const deletePost = (api: Api, id: string, number: number) =>
  api.callSignedIn<ThreadWriteAnswer>({ method: 'DELETE', path: postPath(id, number) });

export const readHistory = (api: Api, id: string, number: number, signal?: AbortSignal) =>
  api.callSignedIn<PostHistoryAnswer>({ path: `${postPath(id, number)}/history`, signal });

export const markHelpful = (api: Api, id: string, number: number, isHelpful: boolean) =>
  api.callSignedIn<HelpfulAnswer>({ method: isHelpful ? 'POST' : 'DELETE', path: `${postPath(id, number)}/helpful` });

/** Null: followed no longer. */
export const follow = (api: Api, id: string, mail: FollowMail | null) =>
  api.callSignedIn<FollowAnswer>(
    mail === null
      ? { method: 'DELETE', path: `${threadPath(id)}/follow` }
      : { method: 'PUT', path: `${threadPath(id)}/follow`, body: { mail } },
  );

export const listFollows = (api: Api, signal?: AbortSignal) =>
  api.callSignedIn<FollowsAnswer>({ path: '/community/follows', signal });

export const unsubscribe = (api: Api, token: string) =>
  api.call<DoneAnswer>({ method: 'POST', path: '/community/unsubscribe', body: { token } });

export const preview = (api: Api, body: string, signal?: AbortSignal) =>
  api.callSignedIn<PreviewAnswer>({ method: 'POST', path: '/community/preview', body: { body }, signal });

export const hidePost = (
  api: Api,
  id: string,
  number: number,
  fields: { readonly hidden: boolean; readonly reason: string | null },
) => api.callSignedIn<ThreadWriteAnswer>({ method: 'PUT', path: `/admin${postPath(id, number)}/hidden`, body: fields });

export const lockThread = (api: Api, id: string, locked: boolean) =>
  api.callSignedIn<ThreadWriteAnswer>({ method: 'PUT', path: `/admin${threadPath(id)}/locked`, body: { locked } });

export const pinThread = (api: Api, id: string, pinned: boolean) =>
  api.callSignedIn<ThreadWriteAnswer>({ method: 'PUT', path: `/admin${threadPath(id)}/pinned`, body: { pinned } });

export const moveThread = (
  api: Api,
  id: string,
  place: { readonly country: string; readonly state: string; readonly city: string },
) => api.callSignedIn<ThreadWriteAnswer>({ method: 'PUT', path: `/admin${threadPath(id)}/place`, body: place });

export const listHidden = (api: Api, cursor: string | null, signal?: AbortSignal) =>
  api.callSignedIn<HiddenPostsAnswer>({ path: `/admin/community/hidden${queryOf({ cursor })}`, signal });
