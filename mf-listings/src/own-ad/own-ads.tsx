import { Fragment } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { AdCard as Ad } from '@alpenglow/domain/contracts';
import {
  adKeys,
  Card,
  classNames,
  EmptyState,
  ErrorBox,
  LinkButton,
  messageOf,
  ownAdsQuery,
  Skeleton,
  useApi,
  useLocale,
  VisuallyHidden,
} from '@alpenglow/ui';
import { AdCard } from '../ads/ad-card.tsx';
import { useRefreshOnLive } from '../ads/use-refresh-on-live.ts';
import { useText } from '../text.ts';
import { AdActions } from './ad-actions.tsx';
import { bumpLeftInWords } from './bump-time.ts';
import { HiddenNote } from './hidden-note.tsx';
import { MediaFacts } from './media-facts.tsx';
import { isBeingMade, nextLook_ms } from './media-state.ts';
import { useBumpLeft_ms } from './use-bump-left.ts';
import styles from './own-ads.module.css';

/** The user's ads, each as a visitor sees it, and beside it the three things that matter. */
export function OwnAds({ userId }: { readonly userId: string }) {
  const t = useText();
  const api = useApi();
  const ads = useQuery({
    ...ownAdsQuery(api, userId),
    refetchInterval: ({ state }) => (state.data?.some(isBeingMade) ? nextLook_ms(state.dataUpdateCount) : false),
  });
  // An ad this list does not know may be one that another tab has just posted.
  useRefreshOnLive(
    adKeys.mine(userId),
    (adId) => ads.data === undefined || ads.data.length === 0 || ads.data.some((ad) => ad.id === adId),
  );

  if (ads.isError && !ads.data)
    return <ErrorBox message={messageOf(ads.error, t('api.userAdsFailed'))} onRetry={() => void ads.refetch()} />;
  if (!ads.data) return <OwnAdsSkeleton />;
  if (ads.data.length === 0) {
    return (
      <EmptyState
        title={t('noAdTitle')}
        actions={
          <LinkButton to="/post-ad" variant="primary">
            {t('common.postAd')}
          </LinkButton>
        }
      >
        <p>{t('noAdText')}</p>
      </EmptyState>
    );
  }
  return ads.data.map((ad) => (
    <Fragment key={ad.id}>
      {ad.status === 'hidden' && <HiddenNote />}
      <OwnAd ad={ad} />
    </Fragment>
  ));
}

function OwnAd({ ad }: { readonly ad: Ad }) {
  const t = useText();
  const locale = useLocale();
  return (
    <div className={styles['own']}>
      <section className={styles['preview']} aria-labelledby={`preview-${ad.id}`}>
        <h2 id={`preview-${ad.id}`}>{t('asVisitorsSee')}</h2>
        <AdCard ad={ad} priority />
        <LinkButton to={`/provider-ad/${ad.id}`} wide>
          {t('viewAd')}
        </LinkButton>
      </section>
      <div className={styles['facts']}>
        <dl className={styles['numbers']}>
          <Card>
            <dt>{t('views')}</dt>
            <dd className={styles['figure']}>{ad.views.toLocaleString(locale)}</dd>
          </Card>
          <Card>
            <dt>{t('nextBump')}</dt>
            <NextBump lastBumpedAt={ad.lastBumpedAt} />
            <dd className={styles['note']}>{t('bumps', { count: ad.bumpCount })}</dd>
          </Card>
          <Card>
            <dt>{t('media')}</dt>
            <MediaFacts ad={ad} />
          </Card>
        </dl>
        <AdActions ad={ad} />
      </div>
    </div>
  );
}

/** Counts down. Silent for screen readers while it does: a number that keeps changing is no news. */
function NextBump({ lastBumpedAt }: { readonly lastBumpedAt: string }) {
  const t = useText();
  const locale = useLocale();
  const left_ms = useBumpLeft_ms(lastBumpedAt);
  return <dd className={styles['figure']}>{left_ms === 0 ? t('now') : bumpLeftInWords(left_ms, locale)}</dd>;
}

function OwnAdsSkeleton() {
  const t = useText();
  return (
    <div role="status" className={classNames(styles['own'], styles['waiting'])}>
      <VisuallyHidden>{t('loadingAds')}</VisuallyHidden>
      <Skeleton className={styles['picture']} height="auto" />
      <Skeleton className={styles['picture']} height="auto" />
    </div>
  );
}
