import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router-dom';
import type { AdView } from '@alpenglow/domain/contracts';
import {
  adKeys,
  adQuery,
  apiMessages,
  ArrowLeftIcon,
  Badge,
  Card,
  ClockIcon,
  commonMessages,
  CONTACT_EMAIL,
  EmptyState,
  ErrorBox,
  fill,
  FlagIcon,
  isApiError,
  LinkButton,
  listingsMessages as text,
  messageOf,
  Page,
  PageHeading,
  PinIcon,
  TimeAgo,
  useApi,
  useHost,
  useUser,
} from '@alpenglow/ui';
import { VerifiedMark } from '../ads/ad-card.tsx';
import { FavoriteToggle } from '../favorites/favorite-toggle.tsx';
import { Contact } from '../ads/contact.tsx';
import { Gallery } from '../ads/gallery.tsx';
import { Reviews, Stars } from '../ads/reviews.tsx';
import { useRefreshOnLive } from '../ads/use-refresh-on-live.ts';
import { AdActions } from '../own-ad/ad-actions.tsx';
import { BumpCountdown } from '../own-ad/bump-countdown.tsx';
import { cityPath } from '../paths.ts';
import { AdPageSkeleton } from './ad-skeleton.tsx';
import styles from './ad.module.css';

const PREPARING_FIRST_ms = 800;
const PREPARING_LAST_ms = 15_000;

/** One ad, by whatever address it was reached: gallery, who, where, contact, description, reviews, report. */
export default function AdPage() {
  const { id = '' } = useParams();
  const api = useApi();
  const { session } = useHost();
  const user = useUser();
  const viewer = user?.id ?? null;
  const ad = useQuery({
    ...adQuery(api, id, viewer),
    enabled: session.state !== 'unknown',
    // While photos are being made, asks again, ever more seldom.
    refetchInterval: ({ state }) =>
      state.data?.media.some((photo) => photo.status === 'processing') ? Math.min(PREPARING_LAST_ms, PREPARING_FIRST_ms * 2 ** Math.min(state.dataUpdateCount, 8)) : false,
  });
  useRefreshOnLive(adKeys.detail(id, viewer), (adId) => adId === id);

  if (isApiError(ad.error) && ad.error.status === 404) return <AdNotFound />;
  if (ad.data) return <AdDetail ad={ad.data} />;
  if (ad.isError) {
    return (
      <Page narrow>
        <ErrorBox message={messageOf(ad.error, apiMessages.adsError)} onRetry={() => void ad.refetch()} />
      </Page>
    );
  }
  return <AdPageSkeleton />;
}

function AdNotFound() {
  return (
    <Page>
      <EmptyState
        title={<PageHeading documentTitle={text.adNotFound}>{text.adNotFound}</PageHeading>}
        actions={
          <LinkButton to="/listings" variant="primary">
            {commonMessages.browse}
          </LinkButton>
        }
      >
        <p>{text.adNotFoundText}</p>
      </EmptyState>
    </Page>
  );
}

function AdDetail({ ad }: { readonly ad: AdView }) {
  return (
    <Page>
      <Link className={styles['back'] ?? ''} to={cityPath(ad.state, ad.city)}>
        <ArrowLeftIcon />
        {fill(text.backToList, { city: ad.city })}
      </Link>
      <article className={styles['layout']}>
        <div className={styles['main']}>
          <Gallery photos={ad.media} name={ad.name} />
        </div>

        <div className={styles['side']}>
          <header className={styles['head']}>
            <p className={styles['who']}>
              {ad.name}
              {ad.verified && <VerifiedMark />}
              <Badge tone="accent">{text.categories[ad.category]}</Badge>
              {ad.isDemo && <Badge title={text.demoAdText}>{text.demoAd}</Badge>}
            </p>
            <PageHeading documentTitle={`${ad.title}, ${ad.location}`}>{ad.title}</PageHeading>
            <div className={styles['facts']}>
              <span>
                <PinIcon />
                <Link to={cityPath(ad.state, ad.city)}>{ad.location}</Link>
              </span>
              <span>
                <ClockIcon />
                {text.active} <TimeAgo at={ad.lastBumpedAt} />
              </span>
              {ad.reviewCount > 0 && (
                <span>
                  <Stars rating={ad.averageRating} /> {ad.averageRating.toFixed(1)}
                </span>
              )}
              <FavoriteToggle adId={ad.id} name={ad.name} />
            </div>
            {ad.price !== null && <p className={styles['price']}>{ad.price}</p>}
          </header>
          {ad.isOwner && (
            <Card>
              <section className={styles['owner']} aria-labelledby="own-ad">
                <h2 id="own-ad">{text.ownAd}</h2>
                <p>
                  {text.nextBump}: <BumpCountdown lastBumpedAt={ad.lastBumpedAt} />
                </p>
                <AdActions ad={ad} />
              </section>
            </Card>
          )}
          <Contact ad={ad} hasBar={!ad.isOwner} />
          <section className={styles['text']} aria-labelledby="about">
            <h2 id="about">{text.about}</h2>
            <p>{ad.description}</p>
            {ad.body !== null && (
              <>
                <h3>{text.physique}</h3>
                <p>{ad.body}</p>
              </>
            )}
          </section>
          <Reviews ad={ad} />
          <aside className={styles['report']}>
            <p>{text.reportText}</p>
            <a href={`mailto:${CONTACT_EMAIL}?subject=${encodeURIComponent(fill(text.reportSubject, { id: ad.id }))}`}>
              <FlagIcon />
              {text.report}
            </a>
          </aside>
        </div>
      </article>
    </Page>
  );
}
