import { useQueryClient } from '@tanstack/react-query';
import type { ResponseOf } from '@alpenglow/domain/contracts';
import { adKeys, communityKeys, useApi, useHost, useSend } from '@alpenglow/ui';
import { caseRequests, MODERATION_KEY } from './api.ts';
import { useNextCase } from './use-next-case.ts';
import { useText } from '../text.ts';

/** A decision, and whether the next case is opened and claimed after it. */
export interface SentDecision<Decision> {
  readonly decision: Decision;
  readonly isNext: boolean;
}

/**
 * Sends a decision on the moderation case `id`. Then opens the queue or the next case, and fetches all data again that
 * may contain the decided content.
 */
export function useDecide<Decision>(
  id: string,
  send: (calls: ReturnType<typeof caseRequests>, decision: Decision) => Promise<ResponseOf<'decideCase'>>,
  /** Returns true if the poster receives a statement of reasons for the decision. */
  isPosterInformed: (decision: Decision) => boolean,
  /** Called when the decision is saved, before the page is left. */
  onDecided: () => void,
) {
  const t = useText();
  const api = useApi();
  const { navigate, notify } = useHost();
  const queryClient = useQueryClient();
  const openNext = useNextCase(id);
  return useSend({
    mutationFn: ({ decision }: SentDecision<Decision>) => send(caseRequests(api), decision),
    onSuccess: ({ data: { notDecided } }, { decision, isNext }) => {
      onDecided();
      if (notDecided.length > 0)
        notify({ text: t('moderation.notDecided', { count: notDecided.length }), tone: 'danger' });
      notify({ text: t(isPosterInformed(decision) ? 'moderation.isDecided' : 'moderation.isSaved'), tone: 'success' });
      for (const queryKey of [MODERATION_KEY, adKeys.all, communityKeys.all])
        void queryClient.invalidateQueries({ queryKey });
      if (isNext) void openNext({ claim: true });
      else navigate('/admin/moderation');
    },
    // The request may fail because another moderator has decided or claimed the case. The data of the page is therefore
    // fetched again.
    onError: () => void queryClient.invalidateQueries({ queryKey: MODERATION_KEY }),
  });
}
