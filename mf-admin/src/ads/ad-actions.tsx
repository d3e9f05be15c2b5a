import type { AdminAdView } from '@alpenglow/domain/contracts';
import { Choice, useApi, useWrite } from '@alpenglow/ui';
import { RowActions } from '../panel/list-parts.tsx';
import { useText } from '../text.ts';
import { adminAdRequests, ADS_KEY } from './api.ts';

export interface AdActionsProps {
  readonly ad: AdminAdView;
  readonly onTakeDown: () => void;
}

/** The menu with which an admin features an ad or takes it down. */
export function AdActions({ ad: { id, title, isFeatured }, onTakeDown }: AdActionsProps) {
  const t = useText();
  const api = useApi();
  const feature = useWrite({
    send: () => adminAdRequests(api).feature(id, !isFeatured),
    doneText: () => (isFeatured ? t('ads.unfeatured') : t('ads.featuredDone')),
    failedText: () => t('saveFailed'),
    affectedQueries: () => ({ queryKey: ADS_KEY }),
  });
  return (
    <RowActions name={t('table.actionsOn', { name: title })}>
      <Choice onChoose={() => feature.mutate()}>{isFeatured ? t('ads.unfeature') : t('ads.feature')}</Choice>
      <Choice danger onChoose={onTakeDown}>
        {t('ads.takeDown')}
      </Choice>
    </RowActions>
  );
}
