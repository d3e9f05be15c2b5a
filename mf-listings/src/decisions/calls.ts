import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AppealAnswer, StatementAnswer, StatementsAnswer } from '@alpenglow/domain/contracts';
import type { Api, ApiCall } from '@alpenglow/ui';

const pathOf = (id: string) => `/account/decisions/${encodeURIComponent(id)}`;

/** Who reads a statement: a signed-in user, by their id, or whoever has the link of the mail about it, by its token. */
export type Reader = { readonly viewer: string } | { readonly token: string };

const ask = <Answer>(api: Api, reader: Reader, call: ApiCall) =>
  'viewer' in reader
    ? api.callSignedIn<Answer>(call)
    : api.call<Answer>({ ...call, headers: { ...call.headers, 'X-Statement-Token': reader.token } });

/** Statements of reasons are one person's: `viewer` is the user's id, or the token in its place. */
export const decisionKeys = { all: (viewer: string) => ['decisions', viewer] as const };

/** The decisions about what the user has posted, the newest first. */
export function statementsQuery(api: Api, viewer: string) {
  return infiniteQueryOptions({
    queryKey: [...decisionKeys.all(viewer), 'list'],
    queryFn: ({ pageParam, signal }) =>
      api.callSignedIn<StatementsAnswer>({
        path: `/account/decisions${pageParam === null ? '' : `?cursor=${encodeURIComponent(pageParam)}`}`,
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
}

/** One of them. */
export function statementQuery(api: Api, reader: Reader, id: string) {
  return queryOptions({
    queryKey: [...keyOf(reader), 'one', id],
    queryFn: ({ signal }) => ask<StatementAnswer>(api, reader, { path: pathOf(id), signal }),
  });
}

/** What is kept of what a reader was answered. */
export const keyOf = (reader: Reader) => decisionKeys.all('viewer' in reader ? reader.viewer : reader.token);

/** Asks for another moderator's decision. `key` makes a second attempt the same one. */
export const appeal = (api: Api, reader: Reader, id: string, text: string, key: string) =>
  ask<AppealAnswer>(api, reader, {
    method: 'POST',
    path: `${pathOf(id)}/appeal`,
    body: { text },
    headers: { 'Idempotency-Key': key },
  });
