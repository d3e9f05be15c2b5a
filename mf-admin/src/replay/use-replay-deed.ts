import { useMutation, useQueryClient } from '@tanstack/react-query';
import { messageOf, useApi, useHost } from '@alpenglow/ui';
import { REPLAY_KEY, replayCalls, type ProjectionAction } from './calls.ts';
import { useText } from './text.ts';

/** What an admin asks of a projection. */
export type ReplayDeed =
  | { readonly what: ProjectionAction; readonly name: string }
  | { readonly what: 'retry'; readonly name: string; readonly position: string }
  | { readonly what: 'skip'; readonly name: string; readonly position: string; readonly reason: string };

/** Asks for it, says whether it will be done, and looks again how everything stands. */
export function useReplayDeed() {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (deed: ReplayDeed) => {
      const calls = replayCalls(api);
      if (deed.what === 'retry') return calls.retry(deed.name, deed.position);
      if (deed.what === 'skip') return calls.skip(deed.name, deed.position, deed.reason);
      return calls.ask(deed.name, deed.what);
    },
    onSuccess: (_answer, { name }) => notify({ text: t('replay.doneAsked', { name }), tone: 'success' }),
    onError: (error) => notify({ text: messageOf(error, t('replay.deedFailed')), tone: 'danger' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: REPLAY_KEY }),
  });
}
