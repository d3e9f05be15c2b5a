import { useMutation, useQueryClient } from '@tanstack/react-query';
import { adKeys, communityKeys, useApi, useHost } from '@alpenglow/ui';
import { caseRequests, MODERATION_KEY } from './api.ts';
import { useText } from '../text.ts';

/**
 * Sends a decision on a moderation case. Then opens the queue and fetches all data again that may contain the decided
 * content.
 */
export function useDecide<Decision>(
  send: (calls: ReturnType<typeof caseRequests>, decision: Decision) => Promise<unknown>,
  /** Returns true if the poster receives a statement of reasons for the decision. */
  isPosterInformed: (decision: Decision) => boolean,
  /** Called when the decision is saved, before the page is left. */
  onDecided: () => void,
) {
  const t = useText();
  const api = useApi();
  const { navigate, notify } = useHost();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (decision: Decision) => send(caseRequests(api), decision),
    onSuccess: (_response, decision) => {
      onDecided();
      notify({ text: t(isPosterInformed(decision) ? 'moderation.isDecided' : 'moderation.isSaved'), tone: 'success' });
      for (const queryKey of [MODERATION_KEY, adKeys.all, communityKeys.all])
        void queryClient.invalidateQueries({ queryKey });
      navigate('/admin/moderation');
    },
    // The request may fail because another moderator has decided or claimed the case. The data of the page is therefore
    // fetched again.
    onError: () => void queryClient.invalidateQueries({ queryKey: MODERATION_KEY }),
  });
}
