import { useQuery } from '@tanstack/react-query';
import { adKeys, useApi } from '@alpenglow/ui';
import { AdGrid } from './ad-grid.tsx';
import { SHORT_LIST_ads } from './short-list.ts';
import { topicsOfAds } from './live-topics.ts';
import { useInvalidateOnLiveMessage } from './use-invalidate-on-live-message.ts';
import styles from './more-ads.module.css';

/** The number of ads to show. */
const SHOWN_ads = 10;

export interface MoreAdsProps {
  readonly title: string;
  readonly state: string;
  /** Null for ads near the largest city of the state. */
  readonly city: string | null;
  /** The ids of the ads that the page already shows. */
  readonly except: readonly string[];
}

/** Offers ads of a city and of cities nearby. Shows nothing if there are none, or after an error. */
export default function MoreAds({ title, state, city, except }: MoreAdsProps) {
  const api = useApi();
  const place = { state, ...(city !== null && { city }) };
  const queryKey = adKeys.nearby(place);
  // Some of the ads may already be on the page. Enough others remain.
  const limit = SHOWN_ads + SHORT_LIST_ads;
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.nearbyAds(place, { limit, signal }),
    retry: false,
  });
  const ids = data?.data.map(({ id }) => id) ?? [];
  useInvalidateOnLiveMessage({ queryKey, topics: topicsOfAds(ids), concerns: (adId) => ids.includes(adId) });
  const ads = data?.data.filter(({ id }) => !except.includes(id)).slice(0, SHOWN_ads) ?? [];
  if (ads.length === 0) return null;
  return (
    <section className={styles['more']} aria-label={title}>
      <h2>{title}</h2>
      <AdGrid ads={ads} label={title} isFirst={false} />
    </section>
  );
}
