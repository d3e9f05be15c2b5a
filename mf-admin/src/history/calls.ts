import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  AccountAsOfAnswer,
  AdAsOfAnswer,
  AdRankAnswer,
  HistoryAnswer,
  ThreadAsOfAnswer,
} from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';

/** What has a history. */
export type Kind = 'ad' | 'account' | 'thread';

const HISTORY = ['admin', 'history'] as const;
const PATHS: Readonly<Record<Kind, string>> = {
  ad: '/admin/ads',
  account: '/admin/users',
  thread: '/admin/community/threads',
};
const pathOf = (kind: Kind, id: string) => `${PATHS[kind]}/${encodeURIComponent(id)}`;

function query(parameters: Readonly<Record<string, string | null>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null && value !== '') search.set(name, value);
  return search.size === 0 ? '' : `?${search.toString()}`;
}

/** The events of something, the last first, in pages; of one type, or of all. */
export function historyQuery(api: Api, kind: Kind, id: string, type: string | null) {
  return infiniteQueryOptions({
    queryKey: [...HISTORY, kind, id, 'events', type],
    queryFn: ({ pageParam, signal }) =>
      api.callSignedIn<HistoryAnswer>({
        path: `${pathOf(kind, id)}/history${query({ type, cursor: pageParam })}`,
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
}

/** A moment that is looked at, and another it is compared with; ISO 8601. Null: now, or nothing to compare with. */
export interface Moments {
  readonly at: string | null;
  readonly and: string | null;
}

const asOfQuery = <Answer>(
  api: Api,
  kind: Kind,
  id: string,
  action: string,
  { at, and }: Moments,
  more: Readonly<Record<string, string | null>> = {},
) =>
  queryOptions({
    queryKey: [...HISTORY, kind, id, 'as-of', at, and, more],
    queryFn: ({ signal }) =>
      api.callSignedIn<Answer>({ path: `${pathOf(kind, id)}${action}${query({ at, and, ...more })}`, signal }),
    // What stood at one moment stays on the screen until what stood at the next is there.
    placeholderData: keepPreviousData,
  });

export const adAsOfQuery = (api: Api, id: string, moments: Moments) =>
  asOfQuery<AdAsOfAnswer>(api, 'ad', id, '', moments);
export const accountAsOfQuery = (api: Api, id: string, moments: Moments) =>
  asOfQuery<AccountAsOfAnswer>(api, 'account', id, '/as-of', moments);
export const threadAsOfQuery = (api: Api, id: string, moments: Moments, post: number) =>
  asOfQuery<ThreadAsOfAnswer>(api, 'thread', id, '', moments, { post: post === 0 ? null : String(post) });

/** Why an ad stood where it did in its list. */
export function rankQuery(api: Api, id: string, at: string | null) {
  return queryOptions({
    queryKey: [...HISTORY, 'ad', id, 'rank', at],
    queryFn: ({ signal }) =>
      api.callSignedIn<AdRankAnswer>({ path: `${pathOf('ad', id)}/rank${query({ at })}`, signal }),
    placeholderData: keepPreviousData,
  });
}

/** The whole history as a file. */
export function downloadHistory(
  api: Api,
  kind: Kind,
  id: string,
  format: 'json' | 'csv',
  type: string | null,
): Promise<File> {
  return api.downloadSignedIn(`${pathOf(kind, id)}/history${query({ format, type })}`);
}
