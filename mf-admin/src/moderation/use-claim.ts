import { useApi, useWrite } from '@alpenglow/ui';
import { caseRequests, MODERATION_KEY } from './api.ts';
import { useText } from '../text.ts';

/** Claims or releases a moderation case. `onDone` is called after a success. */
export function useClaim(id: string, onDone?: () => void) {
  const t = useText();
  const api = useApi();
  return useWrite({
    send: (action: 'claim' | 'release') => caseRequests(api)[action](id),
    failedText: () => t('moderation.claimFailed'),
    affectedQueries: () => ({ queryKey: MODERATION_KEY }),
    onDone,
  });
}
