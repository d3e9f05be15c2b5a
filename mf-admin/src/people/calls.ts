import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type {
  AdminUserAnswer,
  AdminUsersAnswer,
  ClearedAnswer,
  DoneAnswer,
  UserAnswer,
} from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';
import { queryOf } from '../panel/use-filters.ts';

/** Everything the panel has asked about people; a write makes all of it old. */
export const PEOPLE_KEY = ['admin', 'people'] as const;

/** What narrows and orders the list; empty where nothing is chosen. */
export interface UserFilters {
  readonly q: string;
  readonly sort: string;
  readonly type: string;
  readonly role: string;
  readonly verified: string;
}

export function usersQuery(api: Api, filters: UserFilters) {
  return infiniteQueryOptions({
    queryKey: [...PEOPLE_KEY, 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      api.callSignedIn<AdminUsersAnswer>({ path: `/admin/users${queryOf({ ...filters, cursor: pageParam })}`, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
}

export function userQuery(api: Api, id: string) {
  return queryOptions({
    queryKey: [...PEOPLE_KEY, 'one', id],
    queryFn: ({ signal }) =>
      api.callSignedIn<AdminUserAnswer>({ path: `/admin/users/${encodeURIComponent(id)}`, signal }),
  });
}

/** Whether a key is that of one user's page. */
export function isOfUser(queryKey: readonly unknown[], id: string): boolean {
  const [what, which] = queryKey.slice(PEOPLE_KEY.length);
  return what === 'one' && which === id;
}

/** What an admin does to a person; the reason goes into the event. */
export function peopleCalls(api: Api) {
  const pathOf = (id: string) => `/admin/users/${encodeURIComponent(id)}`;
  return {
    verify: (id: string, reason: string) =>
      api.callSignedIn<UserAnswer>({ method: 'POST', path: `${pathOf(id)}/verify`, body: { reason } }),
    close: (id: string, reason: string) =>
      api.callSignedIn<DoneAnswer>({ method: 'DELETE', path: pathOf(id), body: { reason } }),
    clearCode: (id: string, reason: string) =>
      api.callSignedIn<ClearedAnswer>({
        method: 'DELETE',
        path: `/admin/verification-codes/${encodeURIComponent(id)}`,
        body: { reason },
      }),
  };
}
