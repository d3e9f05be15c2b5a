import { useApi, useWrite } from '@alpenglow/ui';
import { caseRequests, MODERATION_KEY } from './api.ts';
import { useText } from '../text.ts';

type ClaimAction = 'claim' | 'release';

/** Claims or releases a moderation case. `onDone` is called after a success. */
export function useClaim(id: string, onDone?: (action: ClaimAction) => void) {
  const t = useText();
  const api = useApi();
  return useWrite({
    send: (action: ClaimAction) => caseRequests(api)[action](id),
    failedText: () => t('moderation.claimFailed'),
    affectedQueries: () => ({ queryKey: MODERATION_KEY }),
    onDone,
  });
}
