import { useQueryClient } from '@tanstack/react-query';
import { messageOf, useApi, useHost } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { casePath, caseRequests, casesQuery, MODERATION_KEY } from './api.ts';
import { findNextCase } from './find-next-case.ts';

/**
 * Returns a function that opens the next open case after the case `id` that the moderator can claim (`findNextCase`).
 * With `claim`, it claims the case before. Without such a case, it opens the queue.
 */
export function useNextCase(id: string | null): (options?: { readonly claim: boolean }) => Promise<void> {
  const t = useText();
  const api = useApi();
  const { navigate, notify } = useHost();
  const queryClient = useQueryClient();
  return async ({ claim } = { claim: false }) => {
    try {
      // A cached queue may contain the case that was just decided.
      const { pages } = await queryClient.fetchInfiniteQuery({ ...casesQuery(api, 'open'), staleTime: 0 });
      const next = findNextCase(
        pages.flatMap(({ data }) => data),
        id,
      );
      if (next === undefined) {
        notify({ text: t('moderation.noNext') });
        navigate('/admin/moderation');
        return;
      }
      if (claim) {
        await caseRequests(api).claim(next.id);
        void queryClient.invalidateQueries({ queryKey: MODERATION_KEY });
      }
      navigate(casePath(next.id));
    } catch (error) {
      notify({ text: messageOf(error, t('moderation.claimFailed')), tone: 'danger' });
      navigate('/admin/moderation');
    }
  };
}
