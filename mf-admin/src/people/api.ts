import type { TakeDownFields } from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';
import { filteredQuery } from '../panel/filtered-query.ts';
import { signedInQuery } from '../panel/signed-in-query.ts';

/**
 * The common prefix of all query keys for users in the admin panel. Every write invalidates the queries with this
 * prefix.
 */
export const USERS_KEY = ['admin', 'people'] as const;

/** Filters and order of the list of users. An empty string means that nothing is selected. */
type UserFilters = Readonly<Record<'q' | 'sort' | 'type' | 'role' | 'verified', string>>;

export function usersQuery(api: Api, filters: UserFilters) {
  return filteredQuery<'listUsers'>(api, USERS_KEY, '/admin/users', filters);
}

const pathOf = (id: string) => `/admin/users/${encodeURIComponent(id)}` as const;

export const userQuery = (api: Api, id: string) => signedInQuery<'getUser'>(api, [...USERS_KEY, 'one', id], pathOf(id));

/** Checks whether a query key belongs to the data on the page of one user. */
export function isUserPageKey(queryKey: readonly unknown[], id: string): boolean {
  const [kind, userId] = queryKey.slice(USERS_KEY.length);
  return kind === 'one' && userId === id;
}

/**
 * Returns functions that send the actions of an admin on a user, e.g. closing the account. The reason is stored in the
 * event of the action.
 */
export function userRequests(api: Api) {
  return {
    verify: (id: string, reason: string) =>
      api.requestWithToken<'verifyUser'>({ method: 'POST', path: `${pathOf(id)}/verify`, body: { reason } }),
    close: (id: string, body: TakeDownFields) =>
      api.requestWithToken<'deleteUser'>({ method: 'DELETE', path: pathOf(id), body }),
    clearCode: (id: string, reason: string) =>
      api.requestWithToken<'clearVerificationCode'>({
        method: 'DELETE',
        path: `/admin/verification-codes/${encodeURIComponent(id)}`,
        body: { reason },
      }),
  };
}
