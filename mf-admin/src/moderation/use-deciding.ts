import { useMutation, useQueryClient } from '@tanstack/react-query';
import { adKeys, communityKeys, useApi, useHost } from '@alpenglow/ui';
import { caseCalls, moderationKeys } from './calls.ts';
import { useText } from './text.ts';

/** Sends a decision; once it stands, whoever decided is back in the queue, and everything that shows such content is looked at anew. */
export function useDeciding<Decision>(
  send: (calls: ReturnType<typeof caseCalls>, decision: Decision) => Promise<unknown>,
) {
  const t = useText();
  const api = useApi();
  const { navigate, notify } = useHost();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (decision: Decision) => send(caseCalls(api), decision),
    onSuccess: () => {
      notify({ text: t('moderation.isDecided'), tone: 'success' });
      for (const queryKey of [moderationKeys.all, adKeys.all, communityKeys.all])
        void queryClient.invalidateQueries({ queryKey });
      navigate('/admin/moderation');
    },
    // Decided or claimed by somebody else meanwhile: what is on the screen is out of date.
    onError: () => void queryClient.invalidateQueries({ queryKey: moderationKeys.all }),
  });
}
