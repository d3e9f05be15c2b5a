import { Link } from 'react-router-dom';
import type { AdCard as Ad } from '@alpenglow/domain/contracts';
import { fill, HeartIcon, listingsMessages as text, Picture, TimeAgo, VerifiedIcon, VisuallyHidden } from '@alpenglow/ui';
import { useFavorites } from '../favorites/use-favorites.ts';
import { adPath } from '../paths.ts';
import styles from './ad-card.module.css';

/** How wide a card stands, for the browser to pick a picture: two, three, four, then five in a row. */
const SIZES = '(width < 40rem) 46vw, (width < 60rem) 30vw, (width < 76rem) 23vw, 15rem';

export interface AdCardProps {
  readonly ad: Ad;
  /** Its picture is among the first that are seen. */
  readonly priority?: boolean;
}

/** An ad in a list: one link, and beside it the heart. */
export function AdCard({ ad, priority = false }: AdCardProps) {
  return (
    <article className={styles['card']}>
      <Link to={adPath(ad)} className={styles['link'] ?? ''}>
        <Picture className={styles['picture']} photo={ad.media[0] ?? null} alt="" sizes={SIZES} priority={priority} />
        <div className={styles['text']}>
          <p className={styles['who']}>
            <span className={styles['name']}>{ad.name}</span>
            {ad.verified && <VerifiedMark />}
          </p>
          <h3 className={styles['title']}>{ad.title}</h3>
          <p className={styles['meta']}>
            {text.categories[ad.category]} · {ad.city}
          </p>
          <p className={styles['meta']}>
            <TimeAgo at={ad.lastBumpedAt} />
          </p>
        </div>
      </Link>
      <FavoriteButton adId={ad.id} name={ad.name} />
    </article>
  );
}

/** The mark explains itself: on hover, and to a screen reader. */
export function VerifiedMark() {
  return (
    <span className={styles['verified']} title={`${text.verified}: ${text.verifiedMeaning}`}>
      <VerifiedIcon />
      <VisuallyHidden>{text.verified}</VisuallyHidden>
    </span>
  );
}

function FavoriteButton({ adId, name }: { readonly adId: string; readonly name: string }) {
  const { ids, toggle } = useFavorites();
  const isKept = ids.includes(adId);
  const label = fill(text.keep, { name });
  return (
    <button type="button" className={styles['heart']} aria-pressed={isKept} aria-label={label} title={isKept ? fill(text.unkeep, { name }) : label} onClick={() => toggle(adId)}>
      <span>
        <HeartIcon filled={isKept} size={1.15} />
      </span>
    </button>
  );
}
