import { useApi } from '@alpenglow/ui';
import { useConfirmedAction } from '../panel/use-confirmed-action.tsx';
import { useText } from '../text.ts';
import { isSingleJobKey, jobRequests, JOBS_KEY, type JobReference } from './api.ts';

/** An action of an admin on background jobs. `retryDead` retries all dead jobs of a queue. */
export type JobAction =
  | { readonly type: 'retry' | 'remove'; readonly job: JobReference }
  | { readonly type: 'retryDead'; readonly kind: string };

/** Sends an action on jobs after the admin has confirmed it. Then fetches the queues and the lists of jobs again. */
export function useJobAction() {
  const t = useText();
  const api = useApi();
  return useConfirmedAction({
    send: (action: JobAction) =>
      action.type === 'retryDead' ? jobRequests(api).retryDead(action.kind) : jobRequests(api)[action.type](action.job),
    dialog: ({ type }) => ({
      title: t(`jobs.${type}Title`),
      text: t(`jobs.${type}Text`),
      confirmLabel: t(`jobs.${type}`),
      isDangerous: type === 'remove',
    }),
    doneText: ({ type }, count) => t(`jobs.${type}Done`, { count }),
    failedText: ({ type }) => t(`jobs.${type}Failed`),
    // A removed job must not be fetched again, even if its dialog is still open.
    affectedQueries: ({ type }) => ({
      queryKey: JOBS_KEY,
      predicate: ({ queryKey }) => type !== 'remove' || !isSingleJobKey(queryKey),
    }),
  });
}
