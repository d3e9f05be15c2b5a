import { useId } from 'react';
import { Link } from 'react-router-dom';
import type { AdCard as Ad } from '@alpenglow/domain/contracts';
import { HeartIcon, Picture, TimeAgo, VisuallyHidden } from '@alpenglow/ui';
import { useFavorites } from '../favorites/use-favorites.ts';
import { adPath } from '../paths.ts';
import { useText } from '../text.ts';
import { VerifiedMark } from './verified-mark.tsx';
import styles from './ad-card.module.css';

/** The width of an ad card, from which the browser chooses a picture variant. A row contains two to five cards. */
const SIZES = '(width < 40rem) 46vw, (width < 60rem) 30vw, (width < 76rem) 23vw, 15rem';

export interface AdCardProps {
  readonly ad: Ad;
  readonly priority?: boolean;
}

/**
 * The card of an ad in a list. A link covers the whole card. The favorite button and the verified mark are above the
 * link, so that they can be clicked.
 */
export function AdCard({ ad, priority = false }: AdCardProps) {
  const t = useText();
  const id = useId();
  return (
    <article className={styles['card']}>
      <Picture className={styles['picture']} photo={ad.media[0] ?? null} alt="" sizes={SIZES} priority={priority} />
      <div className={styles['text']}>
        <p className={styles['who']}>
          <span id={`${id}-name`} className={styles['name']}>
            {ad.name}
          </span>
          {ad.verified && <VerifiedMark />}
        </p>
        <h3 className={styles['title']}>
          <Link
            id={`${id}-title`}
            to={adPath(ad)}
            className={styles['link']}
            aria-labelledby={`${id}-name ${id}-title`}
          >
            {ad.title}
          </Link>
        </h3>
        <p className={styles['meta']}>
          {t(`categories.${ad.category}`)} · {ad.city}
        </p>
        <p className={styles['meta']}>
          {ad.isOnline && (
            <span className={styles['online']} title={t('filter.online')}>
              <VisuallyHidden>{t('filter.online')}, </VisuallyHidden>
            </span>
          )}
          <TimeAgo at={ad.lastBumpedAt} />
          {ad.price !== null && ad.price !== '' && <span className={styles['price']}> · {ad.price}</span>}
        </p>
      </div>
      <FavoriteButton adId={ad.id} name={ad.name} />
    </article>
  );
}

function FavoriteButton({ adId, name }: { readonly adId: string; readonly name: string }) {
  const t = useText();
  const { ids, toggle } = useFavorites();
  const isFavorite = ids.includes(adId);
  const label = t('keep', { name });
  return (
    <button
      type="button"
      className={styles['heart']}
      aria-pressed={isFavorite}
      aria-label={label}
      title={isFavorite ? t('unkeep', { name }) : label}
      onClick={() => toggle(adId)}
    >
      <span>
        <HeartIcon filled={isFavorite} size={1.15} />
      </span>
    </button>
  );
}
