import { useState } from 'react';
import { photoUrl, type AdSnapshotView } from '@alpenglow/domain/contracts';
import { Badge, useLocale, useMediaUrl } from '@alpenglow/ui';
import { TechnicalDetails } from '../panel/technical-details.tsx';
import { FactList } from './fact-list.tsx';
import { formatTime } from './labels.ts';
import { useText } from '../text.ts';
import styles from './history.module.css';

const TONES = { active: 'success', hidden: 'danger', deleted: 'neutral' } as const;

/** The fields that are shown at a fixed position. All other texts follow the phone number. */
const POSITIONED_FIELDS = {
  status: true,
  title: true,
  name: true,
  category: true,
  state: true,
  city: true,
  price: true,
  phone: true,
  lastBumpedAt: true,
  postedAt: true,
  updatedAt: true,
  deletedAt: true,
  description: true,
  video: true,
  socialMedia: true,
} as const satisfies Partial<Record<keyof AdSnapshotView, true>>;

/** The fields, the pictures and the reviews of an ad at a selected time. */
export function AdSnapshot({ ad }: { readonly ad: AdSnapshotView }) {
  const t = useText();
  const locale = useLocale();
  const social = Object.entries(ad.socialMedia ?? {}).map(
    ([network, address]) => [`socialMedia.${network}`, address] as const,
  );
  const otherTexts = Object.entries(ad).flatMap(([field, value]) =>
    !(field in POSITIONED_FIELDS) && (typeof value === 'string' || value === null) ? [[field, value] as const] : [],
  );
  return (
    <>
      <p className={styles['badges']}>
        <Badge tone={TONES[ad.status]}>{t(`value.${ad.status}`)}</Badge>
        {ad.isFeatured && <Badge tone="accent">{t('field.isFeatured')}</Badge>}
        {ad.isErased && <Badge tone="danger">{t('field.isErased')}</Badge>}
      </p>
      <FactList
        facts={[
          ['title', ad.title],
          ['name', ad.name],
          ['category', ad.category],
          ['city', `${ad.city}, ${ad.state}`],
          ['price', ad.price],
          ['phone', ad.phone],
          ...otherTexts,
          ...social.filter(([, address]) => address !== null),
          ['bumpCount', ad.bumpCount],
          ['rating', t('history.ratingOf', { rating: ad.rating.toLocaleString(locale), count: ad.reviewCount })],
          ['postedAt', ad.postedAt],
          ['updatedAt', ad.updatedAt],
          ['lastBumpedAt', ad.lastBumpedAt],
          ['deletedAt', ad.deletedAt],
          ['description', ad.description],
          ['video', ad.video !== null],
        ]}
      />
      {ad.photos.length > 0 && <Photos photos={ad.photos} />}
      {(ad.photos.length > 0 || ad.video !== null) && (
        <TechnicalDetails>
          {ad.photos.map((mediaId, index) => (
            <p key={mediaId}>
              {t('history.photo', { number: index + 1 })} <code>{mediaId}</code>
            </p>
          ))}
          {ad.video !== null && (
            <p>
              {t('field.video')} <code>{ad.video}</code>
            </p>
          )}
        </TechnicalDetails>
      )}
      {ad.reviews.length > 0 && (
        <>
          <h3>{t('field.reviews')}</h3>
          <ul role="list" className={styles['reviews']}>
            {ad.reviews.map(({ id, name, comment, rating, at }) => (
              <li key={id}>
                <p>
                  <strong>{name === '' ? t('history.gone') : name}</strong> · {t('history.stars', { rating })} ·{' '}
                  <time dateTime={at}>{formatTime(locale, at)}</time>
                </p>
                <p>{comment}</p>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Photos({ photos }: { readonly photos: readonly string[] }) {
  const t = useText();
  return (
    <ul role="list" aria-label={t('field.photos')} className={styles['photos']}>
      {photos.map((mediaId, index) => (
        <li key={mediaId}>
          <Photo mediaId={mediaId} number={index + 1} />
        </li>
      ))}
    </ul>
  );
}

function Photo({ mediaId, number }: { readonly mediaId: string; readonly number: number }) {
  const t = useText();
  const url = useMediaUrl(mediaId, photoUrl(mediaId));
  const [failedUrl, setFailedUrl] = useState<string | null>(null);
  if (url !== null && url === failedUrl) return t('history.photoGone', { number });
  return url === null ? null : (
    <img
      src={url}
      alt={t('history.photo', { number })}
      width={96}
      height={96}
      loading="lazy"
      onError={() => setFailedUrl(url)}
    />
  );
}
