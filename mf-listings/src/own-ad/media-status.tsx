import type { AdCard } from '@alpenglow/domain/contracts';
import { serverText } from '@alpenglow/ui';
import { useText } from './text.ts';
import { getMediaState } from './media-state.ts';
import styles from './media-facts.module.css';

/** Shows the owner whether photos and video are published, being processed, or rejected for a reason. */
export function MediaStatus({ ad }: { readonly ad: Pick<AdCard, 'status' | 'media' | 'videoMedia'> }) {
  const t = useText();
  const { photos, video, shortenedBy, reasons } = getMediaState(ad);
  const { ready, processing, rejected } = photos;
  const isHidden = ad.status === 'hidden';
  const labels = {
    processing: t('ownVideoPreparing'),
    ready: t(isHidden ? 'videoNotOnline' : 'videoReady'),
    rejected: t('ownVideoRejected'),
  } as const;
  const hasNoPhotos = ready + processing + rejected === 0;
  return (
    <>
      {hasNoPhotos && <dd className={styles['line']}>{t('mediaNone')}</dd>}
      {ready > 0 && (
        <dd className={styles['line']}>{t(isHidden ? 'mediaNotOnline' : 'mediaReady', { count: ready })}</dd>
      )}
      {processing > 0 && <dd className={styles['line']}>{t('mediaPreparing', { count: processing })}</dd>}
      {rejected > 0 && <dd className={styles['line']}>{t('mediaRejected', { count: rejected })}</dd>}
      {video !== null && <dd className={styles['line']}>{labels[video]}</dd>}
      {shortenedBy > 0 && <dd className={styles['line']}>{t('videoShortened', { s: shortenedBy })}</dd>}
      {reasons.map((reason) => (
        <dd key={reason} className={styles['reason']}>
          {serverText(reason)}
        </dd>
      ))}
    </>
  );
}
