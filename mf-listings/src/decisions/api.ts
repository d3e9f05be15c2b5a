import { queryOptions } from '@tanstack/react-query';
import { signedInPagedQuery, type Api, type OperationRequest } from '@alpenglow/ui';

const pathOf = (id: string) => `/account/decisions/${encodeURIComponent(id)}` as const;

/**
 * The reader of a statement of reasons, i.e. of the text about a moderation decision. The reader is a signed-in user or
 * a person with the token from an e-mail.
 */
export type StatementReader = { readonly viewer: string } | { readonly token: string };

const request = <Id extends 'getDecision' | 'appeal'>(api: Api, reader: StatementReader, call: OperationRequest<Id>) =>
  'viewer' in reader
    ? api.requestWithToken<Id>(call)
    : api.request<Id>({ ...call, headers: { ...call.headers, 'X-Statement-Token': reader.token } });

/**
 * The query keys of statements of reasons. They differ by reader. `viewer` is a user id or the token from an e-mail.
 */
const decisionKeys = { all: (viewer: string) => ['decisions', viewer] as const };

/** Creates the query for the moderation decisions about the user's content, newest first. */
export function statementsQuery(api: Api, viewer: string) {
  return signedInPagedQuery<'listDecisions'>(api, [...decisionKeys.all(viewer), 'list'], '/account/decisions');
}

/** Creates the query for the statement of reasons of one decision. */
export function statementQuery(api: Api, reader: StatementReader, id: string) {
  return queryOptions({
    queryKey: [...getStatementsKey(reader), 'one', id],
    queryFn: ({ signal }) => request<'getDecision'>(api, reader, { path: pathOf(id), signal }),
  });
}

/** Returns the common prefix of the query keys of all statements of reasons that a reader has loaded. */
export const getStatementsKey = (reader: StatementReader) =>
  decisionKeys.all('viewer' in reader ? reader.viewer : reader.token);

/**
 * Files an appeal against a moderation decision. Another moderator then decides again. `key` is the idempotency key of
 * the request.
 */
export const fileAppeal = (api: Api, reader: StatementReader, id: string, text: string, key: string) =>
  request<'appeal'>(api, reader, {
    method: 'POST',
    path: `${pathOf(id)}/appeal`,
    body: { text },
    headers: { 'Idempotency-Key': key },
  });

/** Responds to an automated decision, before a moderator decides. `key` is the idempotency key of the request. */
export const respond = (api: Api, id: string, text: string, key: string) =>
  api.requestWithToken<'respondToDecision'>({
    method: 'POST',
    path: `${pathOf(id)}/response`,
    body: { text },
    headers: { 'Idempotency-Key': key },
  });
