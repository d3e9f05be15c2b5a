import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router-dom';
import { photoUrl, type AdAsOfView } from '@alpenglow/domain/contracts';
import { Badge, Card, LinkButton, useApi, useLocale, useUser } from '@alpenglow/ui';
import { adAsOfQuery } from './calls.ts';
import { FactList } from './fact-list.tsx';
import { HistoryFrame } from './history-frame.tsx';
import { timeText } from './labels.ts';
import { RankCard } from './rank-card.tsx';
import { useText } from './text.ts';
import { useMoments } from './use-moments.ts';
import styles from './history.module.css';

const TONES = { active: 'success', hidden: 'danger', deleted: 'neutral' } as const;

/** `/admin/ads/:id`: an ad as it stood at any moment, why it ranked where it did, and all that happened to it. */
export default function AdHistoryPage() {
  const { id = '' } = useParams();
  const t = useText();
  const api = useApi();
  const user = useUser();
  const [moments, setMoments] = useMoments();
  const asOf = useQuery(adAsOfQuery(api, id, moments));
  const ownerId = asOf.data?.data.ownerId;
  const trail = user?.isAdmin
    ? [
        { label: t('history.admin'), to: '/admin' },
        { label: t('history.ads'), to: '/admin/ads' },
      ]
    : [{ label: t('history.admin'), to: '/admin' }];
  return (
    <HistoryFrame
      kind="ad"
      id={id}
      title={t('history.ofAd')}
      trail={trail}
      asOf={asOf}
      moments={moments}
      onMoments={setMoments}
      actions={
        user?.isAdmin &&
        ownerId !== undefined && <LinkButton to={`/admin/users/${ownerId}/history`}>{t('history.toOwner')}</LinkButton>
      }
    >
      {({ ad }) => (
        <>
          <Card>
            <h2>{t('history.asItStood')}</h2>
            {ad === null ? <p>{t('history.notPosted')}</p> : <Ad ad={ad} />}
          </Card>
          <RankCard id={id} at={moments.at} />
        </>
      )}
    </HistoryFrame>
  );
}

function Ad({ ad }: { readonly ad: AdAsOfView }) {
  const t = useText();
  const locale = useLocale();
  const social = Object.entries(ad.socialMedia ?? {}).map(
    ([network, address]) => [`socialMedia.${network}`, address] as const,
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
          ['body', ad.body],
          ...social.filter(([, address]) => address !== null),
          ['bumpCount', ad.bumpCount],
          ['rating', t('history.ratingOf', { rating: ad.rating.toLocaleString(locale), count: ad.reviewCount })],
          ['postedAt', ad.postedAt],
          ['updatedAt', ad.updatedAt],
          ['lastBumpedAt', ad.lastBumpedAt],
          ['deletedAt', ad.deletedAt],
          ['description', ad.description],
          ['video', ad.video],
        ]}
      />
      {ad.photos.length > 0 && <Photos photos={ad.photos} />}
      {ad.reviews.length > 0 && (
        <>
          <h3>{t('field.reviews')}</h3>
          <ul role="list" className={styles['reviews']}>
            {ad.reviews.map(({ id, name, comment, rating, at }) => (
              <li key={id}>
                <p>
                  <strong>{name === '' ? t('history.gone') : name}</strong> · {t('history.stars', { rating })} ·{' '}
                  <time dateTime={at}>{timeText(locale, at)}</time>
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
          <img
            src={photoUrl(mediaId)}
            alt={t('history.photo', { number: index + 1 })}
            width={96}
            height={96}
            loading="lazy"
            // A picture may be gone for good: its id is what is left of it.
            onError={({ currentTarget }) => currentTarget.replaceWith(document.createTextNode(mediaId))}
          />
        </li>
      ))}
    </ul>
  );
}
