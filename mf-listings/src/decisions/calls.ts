import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AppealAnswer, StatementAnswer, StatementsAnswer } from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';

const pathOf = (id: string) => `/account/decisions/${encodeURIComponent(id)}`;

/** Statements of reasons are one person's: `viewer` is the user's id. */
export const decisionKeys = { all: (viewer: string) => ['decisions', viewer] as const };

/** The decisions about what the user has posted, the newest first. */
export function statementsQuery(api: Api, viewer: string) {
  return infiniteQueryOptions({
    queryKey: [...decisionKeys.all(viewer), 'list'],
    queryFn: ({ pageParam, signal }) => api.callSignedIn<StatementsAnswer>({ path: `/account/decisions${pageParam === null ? '' : `?cursor=${encodeURIComponent(pageParam)}`}`, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
}

/** One of them. */
export function statementQuery(api: Api, viewer: string, id: string) {
  return queryOptions({ queryKey: [...decisionKeys.all(viewer), 'one', id], queryFn: ({ signal }) => api.callSignedIn<StatementAnswer>({ path: pathOf(id), signal }) });
}

/** Asks for another moderator's decision. `key` makes a second attempt the same one. */
export const appeal = (api: Api, id: string, text: string, key: string) =>
  api.callSignedIn<AppealAnswer>({ method: 'POST', path: `${pathOf(id)}/appeal`, body: { text }, headers: { 'Idempotency-Key': key } });
