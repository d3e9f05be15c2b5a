import type { AdCard } from '@alpenglow/domain/contracts';
import { serverText } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { mediaStateOf } from './media-state.ts';
import styles from './media-facts.module.css';

/** How photos and video stand, for the owner: what is online, in preparation, or refused and why. */
export function MediaFacts({ ad }: { readonly ad: Pick<AdCard, 'media' | 'videoMedia'> }) {
  const t = useText();
  const { photos, video, reasons } = mediaStateOf(ad);
  const words = { processing: t('videoPreparing'), ready: t('videoReady'), rejected: t('videoRejected') } as const;
  return (
    <>
      {photos === null && <dd className={styles['line']}>{t('mediaDemo')}</dd>}
      {photos !== null && photos.ready > 0 && (
        <dd className={styles['line']}>{t('mediaReady', { count: photos.ready })}</dd>
      )}
      {photos !== null && photos.processing > 0 && (
        <dd className={styles['line']}>{t('mediaPreparing', { count: photos.processing })}</dd>
      )}
      {photos !== null && photos.rejected > 0 && (
        <dd className={styles['line']}>{t('mediaRejected', { count: photos.rejected })}</dd>
      )}
      {video !== null && <dd className={styles['line']}>{words[video]}</dd>}
      {reasons.map((reason) => (
        <dd key={reason} className={styles['reason']}>
          {serverText(reason)}
        </dd>
      ))}
    </>
  );
}
