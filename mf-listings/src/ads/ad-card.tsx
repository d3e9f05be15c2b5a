import { useId } from 'react';
import { Link } from 'react-router-dom';
import { formatPrice, type AdCard as Ad } from '@alpenglow/domain/contracts';
import { ContactMarks, HeartIcon, Highlight, Picture, TimeAgo, useIsRecent, useLocale, useUser } from '@alpenglow/ui';
import { useFavorites } from '../favorites/use-favorites.ts';
import { adPath } from '../paths.ts';
import { useText } from '../text.ts';
import { isShown } from './is-shown.ts';
import { Monogram } from './monogram.tsx';
import { Rating } from './rating.tsx';
import { useOpenAd } from './use-open-ad.ts';
import { VerifiedMark } from './verified-mark.tsx';
import styles from './ad-card.module.css';

/** The width of an ad card, from which the browser chooses a picture variant. A row contains two to five cards. */
const SIZES = '(max-width: 39.99rem) 46vw, (max-width: 59.99rem) 30vw, (max-width: 75.99rem) 23vw, 15rem';

export interface AdCardProps {
  readonly ad: Ad;
  readonly priority?: boolean;
  /** False in a list of one state, where the card shows the city without the state. */
  readonly hasState?: boolean;
  /** True on the dashboard of the owner, where the card has no favorite button. */
  readonly isOwn?: boolean;
  /** Beginnings of the words that a search has found. */
  readonly words?: readonly string[] | undefined;
  /** A passage of the description that matches a search. */
  readonly excerpt?: string | undefined;
}

const NO_WORDS: readonly string[] = [];

/**
 * The card of an ad in a list. A link covers the whole card. The favorite button and the verified mark are above the
 * link, so that they can be clicked.
 */
export function AdCard({
  ad,
  priority = false,
  hasState = true,
  isOwn = false,
  words = NO_WORDS,
  excerpt,
}: AdCardProps) {
  const t = useText();
  const id = useId();
  // Providers have no favorites (R-6.4).
  const canKeep = useUser()?.isProvider !== true;
  const cover = ad.media.find((photo) => photo.status !== 'rejected' && isShown(ad, photo));
  const price = formatPrice(ad.price, useLocale());
  const openAd = useOpenAd(ad);
  const place = hasState ? `${ad.city}, ${ad.state}` : ad.city;
  return (
    <article className={styles['card']}>
      {cover ? (
        <Picture className={styles['picture']} photo={cover} alt="" sizes={SIZES} priority={priority} />
      ) : (
        <Monogram className={styles['picture']} name={ad.name} />
      )}
      <div className={styles['text']}>
        <p className={styles['who']}>
          <span id={`${id}-name`} className={styles['name']}>
            <Highlight text={ad.name} words={words} />
          </span>
          {/* Cards that an older version stored in the browser have no age. */}
          {ad.age != null && <span className={styles['age']}>{ad.age}</span>}
          {ad.verified && <VerifiedMark />}
        </p>
        <h3 className={styles['title']}>
          <Link
            id={`${id}-title`}
            to={adPath(ad)}
            className={styles['link']}
            {...openAd}
            aria-labelledby={`${id}-name ${id}-title`}
          >
            <Highlight text={ad.title} words={words} />
          </Link>
        </h3>
        {excerpt !== undefined && (
          <p className={styles['excerpt']} dir="auto">
            <Highlight text={excerpt} words={words} />
          </p>
        )}
        <p className={styles['meta']}>
          <Highlight text={`${t(`categories.${ad.category}`)} · ${place}`} words={words} />
        </p>
        <p className={styles['meta']}>
          {price !== null && (
            <span className={styles['price']}>
              <ContactMarks text={price} isLinked />
            </span>
          )}
          {price !== null && ad.reviewCount > 0 && ' · '}
          <Rating ad={ad} />
        </p>
        {/* Visitors do not see a hidden ad, so its owner is not online for them. */}
        {ad.status !== 'hidden' && (
          <p className={styles['meta']}>
            <Activity ad={ad} />
          </p>
        )}
      </div>
      {canKeep && !isOwn && <FavoriteButton adId={ad.id} name={ad.name} />}
    </article>
  );
}

/** The owner counts as online for this time after a change or a bump of the ad (R-2.82). */
const ONLINE_NOW_ms = 10 * 60_000;

/** When the owner was active last, in words. The green dot means that the owner is online now (R-2.82). */
function Activity({ ad }: { readonly ad: Ad }) {
  const t = useText();
  const isNow = useIsRecent(ad.updatedAt, ONLINE_NOW_ms);
  if (ad.isOnline && isNow) return <span className={styles['online']}>{t('onlineNow')}</span>;
  return ad.isOnline ? t('filter.online') : <TimeAgo at={ad.lastBumpedAt} />;
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
