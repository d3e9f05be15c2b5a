import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type {
  AppealOutcome,
  CaseAnswer,
  CasesAnswer,
  CaseWriteAnswer,
  HouseRule,
  Outcome,
} from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';

export const QUEUES = ['open', 'mine', 'appeals', 'decided'] as const;
export type Queue = (typeof QUEUES)[number];

export interface Decision {
  readonly outcome: Outcome;
  readonly rule: HouseRule;
  readonly facts: string;
}

export interface AppealDecision {
  readonly outcome: AppealOutcome;
  readonly facts: string;
}

const pathOf = (id: string) => `/admin/moderation/cases/${encodeURIComponent(id)}`;

export const moderationKeys = {
  all: ['moderation'],
  case: (id: string) => ['moderation', 'case', id] as const,
} as const;

/** A queue is looked at anew while it stands on the screen: others file, claim and decide meanwhile. */
const QUEUE_REFRESH_ms = 5_000;
const CASE_REFRESH_ms = 10_000;

/** The cases of one queue, those to be looked at first come first. */
export function casesQuery(api: Api, state: Queue) {
  return infiniteQueryOptions({
    queryKey: [...moderationKeys.all, 'cases', state],
    queryFn: ({ pageParam, signal }) => {
      const search = new URLSearchParams({ state, ...(pageParam !== null && { cursor: pageParam }) });
      return api.callSignedIn<CasesAnswer>({ path: `/admin/moderation/cases?${search.toString()}`, signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    refetchInterval: QUEUE_REFRESH_ms,
  });
}

/** One case with all there is to decide it by. */
export function caseQuery(api: Api, id: string) {
  return queryOptions({
    queryKey: moderationKeys.case(id),
    queryFn: ({ signal }) => api.callSignedIn<CaseAnswer>({ path: pathOf(id), signal }),
    refetchInterval: CASE_REFRESH_ms,
  });
}

/** What moderators do with a case. */
export function caseCalls(api: Api) {
  const write = (id: string, action: string, body?: unknown) =>
    api.callSignedIn<CaseWriteAnswer>({
      method: 'POST',
      path: `${pathOf(id)}/${action}`,
      ...(body !== undefined && { body }),
    });
  return {
    claim: (id: string) => write(id, 'claim'),
    release: (id: string) => write(id, 'release'),
    decide: (id: string, decision: Decision) => write(id, 'decide', decision),
    decideAppeal: (id: string, decision: AppealDecision) => write(id, 'appeal', decision),
  };
}
