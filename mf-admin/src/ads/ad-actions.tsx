import type { AdminAdView } from '@alpenglow/domain/contracts';
import { Button, useApi, useWrite } from '@alpenglow/ui';
import { RowActions } from '../panel/list-parts.tsx';
import { useText } from '../text.ts';
import { adminAdRequests, ADS_KEY } from './api.ts';

export interface AdActionsProps {
  readonly ad: AdminAdView;
  readonly onTakeDown: () => void;
}

/** The buttons with which an admin features an ad or takes it down. */
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
    <RowActions>
      <Button
        size="small"
        busy={feature.isPending}
        aria-label={isFeatured ? t('ads.unfeatureOf', { title }) : t('ads.featureOf', { title })}
        onClick={() => feature.mutate()}
      >
        {isFeatured ? t('ads.unfeature') : t('ads.feature')}
      </Button>
      <Button size="small" variant="danger" aria-label={t('ads.takeDownOf', { title })} onClick={onTakeDown}>
        {t('ads.takeDown')}
      </Button>
    </RowActions>
  );
}
