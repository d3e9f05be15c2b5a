import { useQuery } from '@tanstack/react-query';
import type { AdCard } from '@alpenglow/domain/contracts';
import { adKeys, listAds, nearbyAds, useApi } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { AdGrid } from './ad-grid.tsx';
import { SHORT_LIST_ads } from './short-list.ts';
import { topicsOfAds } from './live-topics.ts';
import { useInvalidateOnLiveMessage } from './use-invalidate-on-live-message.ts';
import styles from './more-ads.module.css';

/** The number of ads to show. */
const SHOWN_ads = 10;

export interface MoreAdsProps {
  /** Null if no place is known. */
  readonly state: string | null;
  /** Null for ads near the largest city of the state. */
  readonly city: string | null;
  /** Ads of this category come first. */
  readonly category?: string | undefined;
  /** The ids of the ads that the page already shows. */
  readonly except: readonly string[];
}

/**
 * Offers ads of a city, and below them ads of cities nearby. Without a place, offers ads of all places
 * . Shows nothing if there are none, or after an error.
 */
export default function MoreAds({ state, city, category, except }: MoreAdsProps) {
  const t = useText();
  const api = useApi();
  const place = { ...(state !== null && { state }), ...(city !== null && { city }) };
  const queryKey = adKeys.nearby(place);
  // Some of the ads may already be on the page. Enough others remain.
  const limit = SHOWN_ads + SHORT_LIST_ads;
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      state === null ? listAds(api, {}, { limit, signal }) : nearbyAds(api, place, { limit, signal }),
    retry: false,
  });
  const ids = data?.data.map(({ id }) => id) ?? [];
  useInvalidateOnLiveMessage({ queryKey, topics: topicsOfAds(ids), concerns: (adId) => ids.includes(adId) });
  const isSimilar = (ad: AdCard) => Number(ad.category === category);
  const others = data?.data.filter(({ id }) => !except.includes(id)) ?? [];
  const ads = others.sort((a, b) => isSimilar(b) - isSimilar(a)).slice(0, SHOWN_ads);
  // Cities of different states may have the same name.
  const isOfCity = (ad: AdCard) => ad.city === city && ad.state === state;
  return (
    <>
      {city !== null && <Section title={t('moreInCity', { city })} ads={ads.filter(isOfCity)} />}
      <Section title={t(state === null ? 'sorts.bumped' : 'moreNearby')} ads={ads.filter((ad) => !isOfCity(ad))} />
    </>
  );
}

function Section({ title, ads }: { readonly title: string; readonly ads: readonly AdCard[] }) {
  if (ads.length === 0) return null;
  return (
    <section className={styles['more']} aria-label={title}>
      <h2>{title}</h2>
      <AdGrid ads={ads} label={title} isFirst={false} />
    </section>
  );
}
