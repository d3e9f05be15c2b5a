import type { JobState, PathTo } from '@alpenglow/domain/contracts';
import { signedInPagedQuery, type Api } from '@alpenglow/ui';
import { signedInQuery } from '../panel/signed-in-query.ts';

export const JOBS_KEY = ['admin', 'jobs'] as const;
const REFRESH_ms = 3_000;

export interface JobReference {
  readonly kind: string;
  readonly id: string;
}

const pathOf = ({ kind, id }: JobReference) =>
  `/admin/jobs/${encodeURIComponent(kind)}/${encodeURIComponent(id)}` as const;

/** Returns the query for the number of jobs in each queue. The query is repeated every few seconds. */
export function queuesQuery(api: Api) {
  return {
    ...signedInQuery<'listQueues'>(api, [...JOBS_KEY, 'queues'], '/admin/jobs'),
    refetchInterval: REFRESH_ms,
  };
}

export function jobsQuery(api: Api, kind: string, state: JobState) {
  const path = `/admin/jobs/${encodeURIComponent(kind)}` as const;
  return {
    ...signedInPagedQuery<'listJobs'>(api, [...JOBS_KEY, 'list', kind, state], path, { state }),
    refetchInterval: REFRESH_ms,
  };
}

export const jobQuery = (api: Api, job: JobReference) =>
  signedInQuery<'getJob'>(api, [...JOBS_KEY, 'one', job.kind, job.id], pathOf(job));

/**
 * Checks whether a query key belongs to the query for a single job. Returns false for lists of jobs and for the queues.
 */
export function isSingleJobKey(queryKey: readonly unknown[]): boolean {
  return queryKey[JOBS_KEY.length] === 'one';
}

export function jobRequests(api: Api) {
  type Action = 'retryJob' | 'removeJob' | 'retryDeadJobs';
  const write = async (method: 'POST' | 'DELETE', path: PathTo<Action>) =>
    (await api.requestWithToken<Action>({ method, path })).data.count;
  return {
    retry: (job: JobReference) => write('POST', `${pathOf(job)}/retry`),
    remove: (job: JobReference) => write('DELETE', pathOf(job)),
    retryDead: (kind: string) => write('POST', `/admin/jobs/${encodeURIComponent(kind)}/retry`),
  };
}
