import type { AdCard as Ad, ResponseOf } from '@alpenglow/domain/contracts';
import { layout, Skeleton, VisuallyHidden } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { AdCard } from './ad-card.tsx';
import styles from './ad-grid.module.css';

/** The number of pictures that load with priority, because they are visible without scrolling. */
const INITIALLY_VISIBLE = 5;

export interface AdGridProps {
  /** The ads in the grid. An inactive ad is replaced by a note of the same size, so that the other ads do not move. */
  readonly ads: readonly Ad[];
  readonly label: string;
  /** The words that a search has found, and passages of the descriptions that match. */
  readonly search?: ResponseOf<'listAds'>['search'] | undefined;
  /** True if the grid is at the top of a page, so that its first pictures load with priority. */
  readonly isFirst?: boolean;
  /** False if all ads are in the state that the page names. */
  readonly hasState?: boolean;
  /** The number of ads that are still loading. A placeholder reserves the space of each of these ads. */
  readonly coming?: number;
}

export function AdGrid({ ads, label, search, isFirst = true, hasState = true, coming = 0 }: AdGridProps) {
  return (
    <ul role="list" aria-label={label} className={styles['grid']}>
      {ads.map((ad, index) => (
        <li key={ad.id}>
          {ad.isActive ? (
            <AdCard
              ad={ad}
              hasState={hasState}
              priority={isFirst && index < INITIALLY_VISIBLE}
              words={search?.words}
              excerpt={search?.excerpts.find(({ id }) => id === ad.id)?.text}
            />
          ) : (
            <GoneCard />
          )}
        </li>
      ))}
      {Array.from({ length: coming }, (_, index) => (
        <li key={`coming-${index}`} aria-hidden="true">
          <CardSkeleton />
        </li>
      ))}
    </ul>
  );
}

/** Shows `count` placeholders in the size of ad cards while the ads are loading. */
export function AdGridSkeleton({ count }: { readonly count: number }) {
  const t = useText();
  return (
    <div role="status" className={styles['grid']}>
      <VisuallyHidden>{t('loadingAds')}</VisuallyHidden>
      {Array.from({ length: count }, (_, index) => (
        <CardSkeleton key={index} />
      ))}
    </div>
  );
}

function CardSkeleton() {
  return (
    <div aria-hidden="true" className={layout['stack3']}>
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
    <div className={layout['stack3']}>
      <p className={styles['gone']}>{t('adGone')}</p>
    </div>
  );
}
