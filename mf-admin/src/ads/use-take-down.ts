import type { AdminAdView } from '@alpenglow/domain/contracts';
import { useApi } from '@alpenglow/ui';
import { useRuleChoice } from '../moderation/rule-field.tsx';
import { useReasonAction } from '../panel/use-reason-action.tsx';
import { useText } from '../text.ts';
import { adminAdRequests, ADS_KEY } from './api.ts';

/**
 * Takes an ad down after an admin has entered a reason and chosen a house rule. `openDialog` opens the dialog for both.
 */
export function useTakeDown() {
  const t = useText();
  const api = useApi();
  const { sent, field, check, reset } = useRuleChoice();
  const action = useReasonAction<AdminAdView>({
    send: ({ id }, reason) => adminAdRequests(api).takeDown(id, { reason, rule: sent }),
    dialog: ({ id, title }) => ({
      draftName: `take-down.${id}`,
      title: t('ads.takeDownTitle', { title }),
      text: t('ads.takeDownText'),
      details: field,
      checkDetails: check,
      confirmLabel: t('ads.takeDownNow'),
      isDangerous: true,
    }),
    doneText: ({ title }) => t('ads.takenDown', { title }),
    failedText: () => t('ads.takeDownFailed'),
    affectedQueries: () => ({ queryKey: ADS_KEY }),
  });
  return {
    openDialog: (ad: AdminAdView) => {
      reset();
      action.openDialog(ad);
    },
    dialog: action.dialog,
  };
}
