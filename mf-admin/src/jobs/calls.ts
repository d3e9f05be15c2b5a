import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { JobAnswer, JobsAnswer, JobState, JobsWrittenAnswer, QueuesAnswer } from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';
import { queryOf } from '../panel/use-filters.ts';

export const JOBS_KEY = ['admin', 'jobs'] as const;
const REFRESH_ms = 3_000;

export interface JobRef {
  readonly kind: string;
  readonly id: string;
}

const pathOf = ({ kind, id }: JobRef) => `/admin/jobs/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`;

/** How full each queue is, asked again every few seconds. */
export function queuesQuery(api: Api) {
  return queryOptions({
    queryKey: [...JOBS_KEY, 'queues'],
    queryFn: ({ signal }) => api.callSignedIn<QueuesAnswer>({ path: '/admin/jobs', signal }),
    refetchInterval: REFRESH_ms,
  });
}

export function jobsQuery(api: Api, kind: string, state: JobState) {
  return infiniteQueryOptions({
    queryKey: [...JOBS_KEY, 'list', kind, state],
    queryFn: ({ pageParam, signal }) =>
      api.callSignedIn<JobsAnswer>({
        path: `/admin/jobs/${encodeURIComponent(kind)}${queryOf({ state, cursor: pageParam })}`,
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    refetchInterval: REFRESH_ms,
  });
}

export function jobQuery(api: Api, job: JobRef) {
  return queryOptions({
    queryKey: [...JOBS_KEY, 'one', job.kind, job.id],
    queryFn: ({ signal }) => api.callSignedIn<JobAnswer>({ path: pathOf(job), signal }),
  });
}

/** Whether a key is that of one job, not of a list or the queues. */
export function isOfOneJob(queryKey: readonly unknown[]): boolean {
  return queryKey[JOBS_KEY.length] === 'one';
}

export function jobCalls(api: Api) {
  const write = async (method: 'POST' | 'DELETE', path: string) =>
    (await api.callSignedIn<JobsWrittenAnswer>({ method, path })).data.count;
  return {
    retry: (job: JobRef) => write('POST', `${pathOf(job)}/retry`),
    remove: (job: JobRef) => write('DELETE', pathOf(job)),
    retryDead: (kind: string) => write('POST', `/admin/jobs/${encodeURIComponent(kind)}/retry`),
  };
}
