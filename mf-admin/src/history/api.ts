import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { PathTo } from '@alpenglow/domain/contracts';
import { downloadSignedIn, queryOf, signedInPagedQuery, type Api } from '@alpenglow/ui';
import { signedInQuery } from '../panel/signed-in-query.ts';

/** The kinds of objects that have a history page. */
export type HistoryKind = 'ad' | 'account' | 'thread';

const HISTORY = ['admin', 'history'] as const;
const PATHS = {
  ad: '/admin/ads',
  account: '/admin/users',
  thread: '/admin/community/threads',
} as const satisfies Readonly<Record<HistoryKind, string>>;
const pathOf = <Kind extends HistoryKind>(kind: Kind, id: string) =>
  `${PATHS[kind]}/${encodeURIComponent(id)}` as const;

/**
 * Returns the paged query for the events of an ad, an account or a thread, newest first. `type` selects one event type,
 * and null selects all types.
 */
export function historyQuery(api: Api, kind: HistoryKind, id: string, type: string | null) {
  const path = `${pathOf(kind, id)}/history` as const;
  return signedInPagedQuery<'listAdHistory' | 'listUserHistory' | 'listThreadHistory'>(
    api,
    [...HISTORY, kind, id, 'events', type],
    path,
    { type },
  );
}

/**
 * The selected times in ISO 8601. `at` is the time to show, and null means the present. `and` is the time to compare
 * with, and null means no comparison.
 */
export interface SelectedTimes {
  readonly at: string | null;
  readonly and: string | null;
}

const asOfQuery = <Id extends 'getAdAsOf' | 'getUserAsOf' | 'getThreadAsOf'>(
  api: Api,
  kind: HistoryKind,
  id: string,
  action: '' | '/as-of',
  { at, and }: SelectedTimes,
  more: Readonly<Record<string, string | null>> = {},
) =>
  queryOptions({
    queryKey: [...HISTORY, kind, id, 'as-of', at, and, more],
    queryFn: ({ signal }) => {
      const path = `${pathOf(kind, id)}${action}${queryOf({ at, and, ...more })}` as PathTo<Id>;
      return api.requestWithToken<Id>({ path, signal });
    },
    // The state at the previously selected time stays visible until the state at the new time has loaded.
    placeholderData: keepPreviousData,
  });

export const adAsOfQuery = (api: Api, id: string, moments: SelectedTimes) =>
  asOfQuery<'getAdAsOf'>(api, 'ad', id, '', moments);
export const accountAsOfQuery = (api: Api, id: string, moments: SelectedTimes) =>
  asOfQuery<'getUserAsOf'>(api, 'account', id, '/as-of', moments);
export const threadAsOfQuery = (api: Api, id: string, moments: SelectedTimes, post: number) =>
  asOfQuery<'getThreadAsOf'>(api, 'thread', id, '', moments, { post: post === 0 ? null : String(post) });

/** Returns the query that explains the rank of an ad in the list of its city and category. */
export function rankQuery(api: Api, id: string, at: string | null) {
  const path = `${pathOf('ad', id)}/rank${queryOf({ at })}` as const;
  const query = signedInQuery<'explainAdRank'>(api, [...HISTORY, 'ad', id, 'rank', at], path);
  return { ...query, placeholderData: keepPreviousData };
}

/**
 * Downloads the events of an ad, an account or a thread as a file. `type` selects one event type, and null selects all
 * types.
 */
export function downloadHistory(
  api: Api,
  kind: HistoryKind,
  id: string,
  format: 'json' | 'csv',
  type: string | null,
): Promise<File> {
  return downloadSignedIn(api, `${pathOf(kind, id)}/history${queryOf({ format, type })}`);
}
