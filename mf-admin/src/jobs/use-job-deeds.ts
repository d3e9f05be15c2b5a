import { useMutation, useQueryClient } from '@tanstack/react-query';
import { messageOf, useApi, useHost } from '@alpenglow/ui';
import { isOfOneJob, jobCalls, JOBS_KEY, type JobRef } from './calls.ts';
import { useText } from './text.ts';

/** What an admin does to jobs, once it is confirmed. */
export type JobDeed =
  | { readonly what: 'retry' | 'remove'; readonly job: JobRef }
  | { readonly what: 'retryDead'; readonly kind: string };

/** Does it, says how it went, and looks at the queues again. */
export function useJobDeeds() {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (deed: JobDeed) =>
      deed.what === 'retryDead' ? jobCalls(api).retryDead(deed.kind) : jobCalls(api)[deed.what](deed.job),
    onSuccess: (count, { what }) => notify({ text: t(`jobs.${what}Done`, { count }), tone: 'success' }),
    onError: (error, { what }) => notify({ text: messageOf(error, t(`jobs.${what}Failed`)), tone: 'danger' }),
    // A job that is gone is not asked for again, where its dialog still stands.
    onSettled: (_count, _error, { what }) =>
      queryClient.invalidateQueries({
        queryKey: JOBS_KEY,
        predicate: ({ queryKey }) => what !== 'remove' || !isOfOneJob(queryKey),
      }),
  });
}
