import type {
  AdminUserResponse,
  AdminUsersResponse,
  ClearCodesResponse,
  EmptyResultResponse,
  UserResponse,
} from '@alpenglow/domain/contracts';
import { signedInPagedQuery, type Api } from '@alpenglow/ui';
import { signedInQuery } from '../panel/signed-in-query.ts';

/** Prefix of the query keys of all data about users. Every write invalidates these queries. */
export const USERS_KEY = ['admin', 'people'] as const;

/** Filters and order of the list of users. An empty string means that nothing is selected. */
type UserFilters = Readonly<Record<'q' | 'sort' | 'type' | 'role' | 'verified', string>>;

export function usersQuery(api: Api, filters: UserFilters) {
  return signedInPagedQuery<AdminUsersResponse>(api, [...USERS_KEY, 'list', filters], '/admin/users', { ...filters });
}

const pathOf = (id: string) => `/admin/users/${encodeURIComponent(id)}`;

export const userQuery = (api: Api, id: string) =>
  signedInQuery<AdminUserResponse>(api, [...USERS_KEY, 'one', id], pathOf(id));

/** Checks whether a query key belongs to the page of a user. */
export function isUserPageKey(queryKey: readonly unknown[], id: string): boolean {
  const [kind, userId] = queryKey.slice(USERS_KEY.length);
  return kind === 'one' && userId === id;
}

/** Returns functions that send the actions of an admin on users. The event of an action contains the reason. */
export function userRequests(api: Api) {
  return {
    verify: (id: string, reason: string) =>
      api.requestWithToken<UserResponse>({ method: 'POST', path: `${pathOf(id)}/verify`, body: { reason } }),
    close: (id: string, reason: string) =>
      api.requestWithToken<EmptyResultResponse>({ method: 'DELETE', path: pathOf(id), body: { reason } }),
    clearCode: (id: string, reason: string) =>
      api.requestWithToken<ClearCodesResponse>({
        method: 'DELETE',
        path: `/admin/verification-codes/${encodeURIComponent(id)}`,
        body: { reason },
      }),
  };
}
