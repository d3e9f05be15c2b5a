import { Fragment } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { AdCard as Ad } from '@alpenglow/domain/contracts';
import {
  adKeys,
  Card,
  classNames,
  EmptyState,
  LinkButton,
  ownAdsQuery,
  PrivateMedia,
  QueryError,
  Skeleton,
  useApi,
  useLocale,
  VisuallyHidden,
} from '@alpenglow/ui';
import { AdCard } from '../ads/ad-card.tsx';
import { useInvalidateOnLiveMessage } from '../ads/use-invalidate-on-live-message.ts';
import { useText } from './text.ts';
import { AdActions } from './ad-actions.tsx';
import { formatBumpWait } from './bump-wait.ts';
import { ModerationNote } from './moderation-note.tsx';
import { MediaStatus } from './media-status.tsx';
import { isProcessing, getPollDelay_ms } from './media-state.ts';
import { useBumpWait_ms } from './use-bump-wait.ts';
import styles from './own-ads.module.css';

/** The user's ads as visitors see them. Each ad is shown with three statistics and the buttons for its owner. */
export function OwnAds({ userId }: { readonly userId: string }) {
  const t = useText();
  const api = useApi();
  const ads = useQuery({
    ...ownAdsQuery(api, userId),
    refetchInterval: ({ state }) => (state.data?.some(isProcessing) ? getPollDelay_ms(state.dataUpdateCount) : false),
  });
  useInvalidateOnLiveMessage({
    queryKey: adKeys.mine(userId),
    topics: [{ kind: 'own' }],
    // If the list is empty, messages about all ads are relevant, because the user may have posted an ad in another tab.
    concerns: (adId) => ads.data === undefined || ads.data.length === 0 || ads.data.some((ad) => ad.id === adId),
  });

  if (ads.isError && !ads.data) return <QueryError query={ads} text={t('api.userAdsFailed')} />;
  if (!ads.data) return <OwnAdsSkeleton />;
  if (ads.data.length === 0) {
    return (
      <EmptyState title={t('noAdTitle')} link={{ to: '/post-ad', text: t('common.postAd') }}>
        <p>{t('noAdText')}</p>
      </EmptyState>
    );
  }
  return ads.data.map((ad) => (
    <Fragment key={ad.id}>
      <ModerationNote ad={ad} />
      <OwnAd ad={ad} />
    </Fragment>
  ));
}

function OwnAd({ ad }: { readonly ad: Ad }) {
  const t = useText();
  const locale = useLocale();
  const isHidden = ad.status === 'hidden';
  return (
    <div className={styles['own']}>
      <section className={styles['preview']} aria-labelledby={`preview-${ad.id}`}>
        <h2 id={`preview-${ad.id}`}>{t(isHidden ? 'asOwnerSees' : 'asVisitorsSee')}</h2>
        <PrivateMedia isPrivate={isHidden}>
          <AdCard ad={ad} priority isOwn />
        </PrivateMedia>
        <LinkButton to={`/provider-ad/${ad.id}`} wide>
          {t('ownViewAd')}
        </LinkButton>
      </section>
      <div className={styles['facts']}>
        <dl className={styles['numbers']}>
          <Card>
            <dt>{t('ownViews')}</dt>
            <dd className={styles['figure']}>{ad.views.toLocaleString(locale)}</dd>
          </Card>
          <Card>
            <dt>{t('nextBump')}</dt>
            {isHidden ? <dd>{t('noBump')}</dd> : <NextBump lastBumpedAt={ad.lastBumpedAt} />}
            <dd className={styles['note']}>{t('bumps', { count: ad.bumpCount })}</dd>
          </Card>
          <Card>
            <dt>{t('ownMedia')}</dt>
            <MediaStatus ad={ad} />
          </Card>
        </dl>
        <AdActions ad={ad} />
      </div>
    </div>
  );
}

/** The countdown until the next bump. Screen readers ignore it, because the number changes constantly. */
function NextBump({ lastBumpedAt }: { readonly lastBumpedAt: string }) {
  const t = useText();
  const locale = useLocale();
  const left_ms = useBumpWait_ms(lastBumpedAt);
  return <dd className={styles['figure']}>{left_ms === 0 ? t('ownNow') : formatBumpWait(left_ms, locale)}</dd>;
}

function OwnAdsSkeleton() {
  const t = useText();
  return (
    <div role="status" className={classNames(styles['own'], styles['waiting'])}>
      <VisuallyHidden>{t('ownLoadingAds')}</VisuallyHidden>
      <Skeleton className={styles['picture']} height="auto" />
      <Skeleton className={styles['picture']} height="auto" />
    </div>
  );
}
