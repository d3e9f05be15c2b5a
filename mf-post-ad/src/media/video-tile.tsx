import { useState } from 'react';
import { MAX_VIDEO_s } from '@alpenglow/domain/contracts';
import { Badge, Button, layout, serverText, TrashIcon, useLocale, useMediaUrl } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { getVideo, isHiddenByModeration, isPending, type MediaItem } from './media-item.ts';
import type { MediaQueue } from './media-queue.ts';
import { UploadError, UploadOverlay } from './upload-state.tsx';
import styles from './media.module.css';

/** The video with a player and its duration or error. */
export function VideoTile({ item, queue }: { readonly item: MediaItem; readonly queue: MediaQueue }) {
  const t = useText();
  const { key, name, preview, url, isExisting, duration_s } = item;
  const view = getVideo(item);
  const [failedUrl, setFailedUrl] = useState<string | null>(null);
  const uploaded = useMediaUrl(preview === null && view?.status === 'ready' ? view.id : null, url ?? '');
  const source = preview ?? uploaded;
  return (
    <div className={styles['video']} role="group" aria-label={t('video')}>
      <div className={styles['screen']}>
        {source === null || source === failedUrl ? (
          <p>{view?.status === 'processing' ? t('preparingVideo') : t('noPreview')}</p>
        ) : (
          <video
            src={source}
            controls={!isPending(item)}
            playsInline
            muted
            preload="metadata"
            aria-label={isExisting ? t('video') : name}
            onLoadedMetadata={({ currentTarget }) => queue.measured(key, currentTarget.duration)}
            onError={() => setFailedUrl(source)}
          />
        )}
        {isExisting && (
          <span className={styles['marks']}>
            <Badge>{t('existing')}</Badge>
            {isHiddenByModeration(item) && <Badge tone="danger">{t('heldMark')}</Badge>}
          </span>
        )}
        {isPending(item) && (
          <UploadOverlay
            item={item}
            progressLabel={t('uploadVideoProgress')}
            cancelLabel={t('cancelVideo')}
            onCancel={() => queue.cancel(key)}
          />
        )}
      </div>
      <div className={styles['about']}>
        <p>
          <strong>{isExisting ? t('video') : name}</strong> {duration_s !== null && <Length duration_s={duration_s} />}
        </p>
        {/* Shows early that the video is too long, as soon as this browser has read its duration. The server makes
            the final decision. */}
        {duration_s !== null && duration_s > MAX_VIDEO_s && item.problem === null && (
          <p className={styles['problem']}>{t('videoTooLong')}</p>
        )}
        {view?.status === 'rejected' && view.reason !== null && (
          <p className={styles['problem']}>{serverText(view.reason)}</p>
        )}
        {isHiddenByModeration(item) && <p>{t('heldVideo')}</p>}
        {view !== null && view.shortenedBy > 0 && <p role="status">{t('videoShortened', { s: view.shortenedBy })}</p>}
        <UploadError item={item} retryLabel={t('retryVideo')} onRetry={() => queue.retry(key)} />
        <Button size="small" onClick={() => queue.remove(key)}>
          <TrashIcon />
          {t('removeVideo')}
        </Button>
      </div>
    </div>
  );
}

function Length({ duration_s }: { readonly duration_s: number }) {
  const format = new Intl.NumberFormat(useLocale(), { style: 'unit', unit: 'second', maximumFractionDigits: 1 });
  return <span className={layout['count']}>{format.format(duration_s)}</span>;
}
