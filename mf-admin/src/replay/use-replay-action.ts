import { useApi, type WriteOptions } from '@alpenglow/ui';
import { formatProjectionName } from '../panel/part-names.ts';
import { useText } from '../text.ts';
import { REPLAY_KEY, replayRequests, type ProjectionAction } from './api.ts';

/** An action of an admin on a projection or on one of its parked events. */
export type ReplayAction =
  | { readonly type: ProjectionAction; readonly name: string }
  | { readonly type: 'retry'; readonly name: string; readonly position: string };

/** Returns the options of a write. The write sends an action on a projection and then fetches all projections again. */
export function useReplayAction() {
  const t = useText();
  const api = useApi();
  return {
    send: (action: ReplayAction) => {
      const calls = replayRequests(api);
      return action.type === 'retry'
        ? calls.retry(action.name, action.position)
        : calls.start(action.name, action.type);
    },
    doneText: ({ name }) => t('replay.doneAsked', { name: formatProjectionName(t, name) }),
    failedText: () => t('replay.deedFailed'),
    affectedQueries: () => ({ queryKey: REPLAY_KEY }),
  } satisfies WriteOptions<ReplayAction, unknown>;
}
