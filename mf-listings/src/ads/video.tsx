import { useState } from 'react';
import type { VideoView } from '@alpenglow/domain/contracts';
import { Badge, Card, classNames, layout, serverText, useIsHydrated, useMediaUrl } from '@alpenglow/ui';
import { useText } from './text.ts';
import { canPlay } from './can-play.ts';
import styles from './video.module.css';

/** The video of an ad. Only the owner sees it until it has been processed. */
export default function AdVideo({ video, name }: { readonly video: VideoView; readonly name: string }) {
  const t = useText();
  return (
    <section className={layout['stack3']} aria-labelledby="video">
      <h2 id="video">{t('video')}</h2>
      {video.status === 'ready' && <Player key={video.id} video={video} name={name} />}
      {video.status === 'processing' && <p role="status">{t('videoPreparing')}</p>}
      {video.status === 'rejected' && (
        <p>
          <Badge tone="danger">{t('videoRejected')}</Badge> {video.reason !== null && serverText(video.reason)}
        </p>
      )}
    </section>
  );
}

function Player({ video, name }: { readonly video: VideoView; readonly name: string }) {
  const t = useText();
  const url = useMediaUrl(video.id, video.url);
  const [failedUrl, setFailedUrl] = useState<string | null>();
  const isHydrated = useIsHydrated();
  if ((isHydrated && !canPlay(video.contentType)) || failedUrl === url) {
    return (
      <Card className={classNames(layout['stack2'], layout['muted'])}>
        <p>{t('videoCannotPlay')}</p>
        <a href={url ?? undefined} download>
          {t('videoDownload')}
        </a>
      </Card>
    );
  }
  return (
    <video
      className={styles['video']}
      src={url ?? undefined}
      controls
      playsInline
      preload="metadata"
      width={video.width || undefined}
      height={video.height || undefined}
      aria-label={t('videoOf', { name })}
      onError={() => setFailedUrl(url)}
    />
  );
}
