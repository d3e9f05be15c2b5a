import type { AdminAdView } from '@alpenglow/domain/contracts';
import { useApi } from '@alpenglow/ui';
import { useReasonAction } from '../panel/use-reason-action.tsx';
import { useText } from '../text.ts';
import { adminAdRequests, ADS_KEY } from './api.ts';

/** Takes an ad down after an admin has entered a reason. `openDialog` opens the dialog that requests the reason. */
export function useTakeDown() {
  const t = useText();
  const api = useApi();
  return useReasonAction<AdminAdView>({
    send: ({ id }, reason) => adminAdRequests(api).takeDown(id, reason),
    dialog: ({ id, title }) => ({
      draftName: `take-down.${id}`,
      title: t('ads.takeDownTitle', { title }),
      text: t('ads.takeDownText'),
      confirmLabel: t('ads.takeDownNow'),
      isDangerous: true,
    }),
    doneText: ({ title }) => t('ads.takenDown', { title }),
    failedText: () => t('ads.takeDownFailed'),
    affectedQueries: () => ({ queryKey: ADS_KEY }),
  });
}
