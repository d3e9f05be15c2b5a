import type { NewRemoval } from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';
import { queryOptions } from '@tanstack/react-query';

/** A removal request and the token of its private page. */
export interface RequestAccess {
  readonly id: string;
  readonly token: string;
}

const pathOf = (id: string) => `/removal-requests/${encodeURIComponent(id)}` as const;
const headersOf = ({ token }: RequestAccess) => ({ 'X-Removal-Token': token });

export const sendRequest = (api: Api, body: NewRemoval, key: string) =>
  api.request<'requestRemoval'>({
    method: 'POST',
    path: '/removal-requests',
    headers: { 'Idempotency-Key': key },
    body,
  });

/** Creates the query for the state of a request. */
export function requestQuery(api: Api, access: RequestAccess) {
  return queryOptions({
    queryKey: ['removal', access.id, access.token],
    queryFn: ({ signal }) =>
      api.request<'getRemovalRequest'>({ path: pathOf(access.id), headers: headersOf(access), signal }),
  });
}

export const addNote = (api: Api, access: RequestAccess, text: string) =>
  api.request<'addRemovalNote'>({
    method: 'POST',
    path: `${pathOf(access.id)}/notes`,
    headers: headersOf(access),
    body: { text },
  });

export const appeal = (api: Api, access: RequestAccess, text: string) =>
  api.request<'appealRemoval'>({
    method: 'POST',
    path: `${pathOf(access.id)}/appeal`,
    headers: headersOf(access),
    body: { text },
  });

export const withdraw = (api: Api, access: RequestAccess) =>
  api.request<'withdrawRemoval'>({
    method: 'POST',
    path: `${pathOf(access.id)}/withdraw`,
    headers: headersOf(access),
  });
