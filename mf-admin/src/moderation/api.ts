import type { CaseCard, DecideAppealFields, DecideCaseInput, RestoreCasesFields } from '@alpenglow/domain/contracts';
import { signedInPagedQuery, type Api } from '@alpenglow/ui';
import { signedInQuery } from '../panel/signed-in-query.ts';

export const QUEUES = ['open', 'mine', 'appeals', 'decided'] as const;
export type Queue = (typeof QUEUES)[number];

/** Returns the path of a moderation case, which is the same for its page and for the API. */
export const casePath = (id: string) => `/admin/moderation/cases/${encodeURIComponent(id)}` as const;

/** The common prefix of all query keys for moderation cases. */
export const MODERATION_KEY = ['moderation'] as const;

/**
 * Time between two requests for the visible queue. The queue is requested often, because other moderators claim and
 * decide cases at the same time.
 */
const QUEUE_REFRESH_ms = 5_000;
const CASE_REFRESH_ms = 10_000;

/** Filters of a queue. A filter that is null matches every case. */
export interface CaseFilter {
  readonly kind: CaseCard['subject']['kind'] | null;
  readonly reason: CaseCard['reasons'][number]['reason'] | null;
}

/** Returns the query for the moderation cases in a queue. Urgent cases come first, then the oldest. */
export function casesQuery(api: Api, state: Queue, filter: CaseFilter = { kind: null, reason: null }) {
  const { kind, reason } = filter;
  const parameters = { state, ...(kind !== null && { kind }), ...(reason !== null && { reason }) };
  return {
    ...signedInPagedQuery<'listCases'>(
      api,
      [...MODERATION_KEY, 'cases', parameters],
      '/admin/moderation/cases',
      parameters,
    ),
    refetchInterval: QUEUE_REFRESH_ms,
  };
}

/** Returns the query for one moderation case with all data that a moderator needs for a decision. */
export function caseQuery(api: Api, id: string) {
  return {
    ...signedInQuery<'getCase'>(api, [...MODERATION_KEY, 'case', id], casePath(id)),
    refetchInterval: CASE_REFRESH_ms,
  };
}

/** Returns functions with which moderators claim, release and decide moderation cases, and decide appeals. */
export function caseRequests(api: Api) {
  const write = (
    id: string,
    action: 'claim' | 'release' | 'decide' | 'appeal',
    body?: DecideCaseInput | DecideAppealFields,
  ) =>
    api.requestWithToken<'claimCase' | 'releaseCase' | 'decideCase' | 'decideAppeal'>({
      method: 'POST',
      path: `${casePath(id)}/${action}`,
      ...(body !== undefined && { body }),
    });
  return {
    restore: (fields: RestoreCasesFields) =>
      api.requestWithToken<'restoreCases'>({
        method: 'POST',
        path: '/admin/moderation/restore',
        body: fields,
      }),
    removeReview: (adId: string, reviewId: string, reason: string) =>
      api.requestWithToken<'removeReview'>({
        method: 'DELETE',
        path: `/admin/moderation/ads/${encodeURIComponent(adId)}/reviews/${encodeURIComponent(reviewId)}`,
        body: { reason },
      }),
    claim: (id: string) => write(id, 'claim'),
    release: (id: string) => write(id, 'release'),
    decide: (id: string, decision: DecideCaseInput) => write(id, 'decide', decision),
    decideAppeal: (id: string, decision: DecideAppealFields) => write(id, 'appeal', decision),
  };
}
