import type { AdCard as Ad } from '@alpenglow/domain/contracts';
import { Skeleton, VisuallyHidden } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { AdCard } from './ad-card.tsx';
import styles from './ad-grid.module.css';

/** This many pictures are in view before anything is scrolled, on a phone or a desktop. */
const FIRST_SEEN = 5;

export interface AdGridProps {
  /** An ad that is no longer active keeps its place, but not its card. */
  readonly ads: readonly Ad[];
  readonly label: string;
  /** As many more are on their way: their room is kept. */
  readonly coming?: number;
}

export function AdGrid({ ads, label, coming = 0 }: AdGridProps) {
  return (
    <ul role="list" aria-label={label} className={styles['grid']}>
      {ads.map((ad, index) => (
        <li key={ad.id}>{ad.isActive ? <AdCard ad={ad} priority={index < FIRST_SEEN} /> : <GoneCard />}</li>
      ))}
      {Array.from({ length: coming }, (_, index) => (
        <li key={`coming-${index}`} aria-hidden="true">
          <WaitingCard />
        </li>
      ))}
    </ul>
  );
}

/** As many cards to come, in the size they will have. */
export function AdGridSkeleton({ count }: { readonly count: number }) {
  const t = useText();
  return (
    <div role="status" className={styles['grid']}>
      <VisuallyHidden>{t('loadingAds')}</VisuallyHidden>
      {Array.from({ length: count }, (_, index) => (
        <WaitingCard key={index} />
      ))}
    </div>
  );
}

function WaitingCard() {
  return (
    <div aria-hidden="true" className={styles['waiting']}>
      <Skeleton className={styles['picture']} height="auto" />
      <div className={styles['lines']}>
        <Skeleton width="60%" />
        <Skeleton width="90%" />
        <Skeleton width="70%" />
        <Skeleton width="45%" />
      </div>
    </div>
  );
}

function GoneCard() {
  const t = useText();
  return (
    <div className={styles['waiting']}>
      <p className={styles['gone']}>{t('adGone')}</p>
    </div>
  );
}
