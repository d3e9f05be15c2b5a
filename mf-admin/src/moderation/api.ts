import type {
  CaseResponse,
  CasesResponse,
  CaseWriteResponse,
  DecideAppealFields,
  DecideCaseFields,
} from '@alpenglow/domain/contracts';
import { signedInPagedQuery, type Api } from '@alpenglow/ui';
import { signedInQuery } from '../panel/signed-in-query.ts';

export const QUEUES = ['open', 'mine', 'appeals', 'decided'] as const;
export type Queue = (typeof QUEUES)[number];

const pathOf = (id: string) => `/admin/moderation/cases/${encodeURIComponent(id)}`;

/** The common prefix of all query keys for moderation cases. */
export const MODERATION_KEY = ['moderation'] as const;

/**
 * Time between two requests for the visible queue. The queue is requested often, because other moderators claim and
 * decide cases at the same time.
 */
const QUEUE_REFRESH_ms = 5_000;
const CASE_REFRESH_ms = 10_000;

/** Returns the query for the moderation cases in a queue, most urgent first. */
export function casesQuery(api: Api, state: Queue) {
  return {
    ...signedInPagedQuery<CasesResponse>(api, [...MODERATION_KEY, 'cases', state], '/admin/moderation/cases', {
      state,
    }),
    refetchInterval: QUEUE_REFRESH_ms,
  };
}

/** Returns the query for one moderation case with all data that a moderator needs for a decision. */
export function caseQuery(api: Api, id: string) {
  return {
    ...signedInQuery<CaseResponse>(api, [...MODERATION_KEY, 'case', id], pathOf(id)),
    refetchInterval: CASE_REFRESH_ms,
  };
}

/** Returns functions with which moderators claim, release and decide moderation cases, and decide appeals. */
export function caseRequests(api: Api) {
  const write = (id: string, action: string, body?: unknown) =>
    api.requestWithToken<CaseWriteResponse>({
      method: 'POST',
      path: `${pathOf(id)}/${action}`,
      ...(body !== undefined && { body }),
    });
  return {
    claim: (id: string) => write(id, 'claim'),
    release: (id: string) => write(id, 'release'),
    decide: (id: string, decision: DecideCaseFields) => write(id, 'decide', decision),
    decideAppeal: (id: string, decision: DecideAppealFields) => write(id, 'appeal', decision),
  };
}
