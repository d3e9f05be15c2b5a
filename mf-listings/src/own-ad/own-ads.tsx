import { useQuery } from '@tanstack/react-query';
import type { AdCard as Ad } from '@alpenglow/domain/contracts';
import {
  adKeys,
  apiMessages,
  Badge,
  Card,
  EmptyState,
  ErrorBox,
  fillCount,
  LinkButton,
  listingsMessages as text,
  commonMessages,
  messageOf,
  ownAdsQuery,
  Skeleton,
  useApi,
  VisuallyHidden,
} from '@alpenglow/ui';
import { AdCard } from '../ads/ad-card.tsx';
import { useRefreshOnLive } from '../ads/use-refresh-on-live.ts';
import { isPreparing } from '../lists/ad-pages.ts';
import { AdActions } from './ad-actions.tsx';
import { BumpCountdown } from './bump-countdown.tsx';
import { mediaStateOf } from './media-state.ts';
import styles from './own-ads.module.css';

const PREPARING_FIRST_ms = 800;
const PREPARING_LAST_ms = 15_000;

/** The user's ads, each as a visitor sees it, and beside it the three things that matter. */
export function OwnAds({ userId }: { readonly userId: string }) {
  const api = useApi();
  const ads = useQuery({
    ...ownAdsQuery(api, userId),
    refetchInterval: ({ state }) => (state.data && isPreparing(state.data) ? Math.min(PREPARING_LAST_ms, PREPARING_FIRST_ms * 2 ** Math.min(state.dataUpdateCount, 8)) : false),
  });
  useRefreshOnLive(adKeys.mine(userId), (adId) => ads.data?.some((ad) => ad.id === adId) ?? true);

  if (ads.isError && !ads.data) return <ErrorBox message={messageOf(ads.error, apiMessages.userAdsFailed)} onRetry={() => void ads.refetch()} />;
  if (!ads.data) return <OwnAdsSkeleton />;
  if (ads.data.length === 0) {
    return (
      <EmptyState
        title={text.noAdTitle}
        actions={
          <LinkButton to="/post-ad" variant="primary">
            {commonMessages.postAd}
          </LinkButton>
        }
      >
        <p>{text.noAdText}</p>
      </EmptyState>
    );
  }
  return ads.data.map((ad) => <OwnAd key={ad.id} ad={ad} />);
}

function OwnAd({ ad }: { readonly ad: Ad }) {
  const media = mediaStateOf(ad.media);
  return (
    <div className={styles['own']}>
      <section className={styles['preview']} aria-labelledby={`preview-${ad.id}`}>
        <h2 id={`preview-${ad.id}`}>{text.asVisitorsSee}</h2>
        <AdCard ad={ad} priority />
        <LinkButton to={`/provider-ad/${ad.id}`} wide>
          {text.viewAd}
        </LinkButton>
      </section>
      <div className={styles['facts']}>
        <dl className={styles['numbers']}>
          <Card>
            <dt>{text.views}</dt>
            <dd>{ad.views}</dd>
          </Card>
          <Card>
            <dt>{text.nextBump}</dt>
            <dd>
              <BumpCountdown lastBumpedAt={ad.lastBumpedAt} />
            </dd>
            <dd className={styles['note']}>{ad.bumpCount === 0 ? text.neverBumped : fillCount(ad.bumpCount, text.bumps)}</dd>
          </Card>
          <Card>
            <dt>{text.media}</dt>
            {media.lines.map((line) => (
              <dd key={line} className={styles['line']}>
                {line}
              </dd>
            ))}
            {media.reasons.map((reason) => (
              <dd key={reason}>
                <Badge tone="danger">{reason}</Badge>
              </dd>
            ))}
          </Card>
        </dl>
        <AdActions ad={ad} />
      </div>
    </div>
  );
}

function OwnAdsSkeleton() {
  return (
    <div role="status" className={styles['own']}>
      <VisuallyHidden>{text.loadingAds}</VisuallyHidden>
      <Skeleton className={styles['picture']} height="auto" />
      <Skeleton height="9rem" />
    </div>
  );
}
