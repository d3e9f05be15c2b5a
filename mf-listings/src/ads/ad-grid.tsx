import type { AdCard as Ad } from '@alpenglow/domain/contracts';
import { listingsMessages as text, Skeleton, VisuallyHidden } from '@alpenglow/ui';
import { AdCard } from './ad-card.tsx';
import styles from './ad-grid.module.css';

/** This many pictures are in view before anything is scrolled, on a phone or a desktop. */
const FIRST_SEEN = 5;

export function AdGrid({ ads, label }: { readonly ads: readonly Ad[]; readonly label: string }) {
  return (
    <ul role="list" aria-label={label} className={styles['grid']}>
      {ads.map((ad, index) => (
        <li key={ad.id}>
          <AdCard ad={ad} priority={index < FIRST_SEEN} />
        </li>
      ))}
    </ul>
  );
}

/** As many cards to come, in the size they will have. */
export function AdGridSkeleton({ count }: { readonly count: number }) {
  return (
    <div role="status" className={styles['grid']}>
      <VisuallyHidden>{text.loadingAds}</VisuallyHidden>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} aria-hidden="true" className={styles['waiting']}>
          <Skeleton className={styles['picture']} height="auto" />
          <Skeleton width="60%" height="1.25rem" />
          <Skeleton width="90%" height="1rem" />
          <Skeleton width="45%" height="0.875rem" />
        </div>
      ))}
    </div>
  );
}
