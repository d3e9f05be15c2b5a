import { useState } from 'react';
import type { PhotoView } from '@alpenglow/domain/contracts';
import { ExpandIcon, IconButton, Picture } from '@alpenglow/ui';
import { useText } from './text.ts';
import { FullScreenPhotos } from './full-screen-photos.tsx';
import { Monogram } from './monogram.tsx';
import { PhotoStage } from './photo-stage.tsx';
import { ReportPhoto } from './report-photo.tsx';
import { usePhotoStrip } from './use-photo-strip.ts';
import styles from './gallery.module.css';

const SIZES = '(max-width: 47.99rem) 100vw, (max-width: 79.99rem) 50vw, 36rem';

export interface GalleryProps {
  readonly photos: readonly PhotoView[];
  /** The name of the ad's owner, which is part of the alternative texts of the photos. */
  readonly name: string;
  /**
   * True if the viewer may report a photo. Owners cannot report their own photos, and the pictures of demo ads show no
   * person.
   */
  readonly canReport: boolean;
}

/**
 * The photos of an ad. The visitor changes the photo by swiping, or with buttons, thumbnails or keys. The photos can
 * also be shown in full screen.
 */
export function Gallery({ photos, name, canReport }: GalleryProps) {
  const t = useText();
  const strip = usePhotoStrip(photos.length);
  const [isFull, setFull] = useState(false);

  if (photos.length === 0) return <Monogram className={styles['monogram']} name={name} />;
  return (
    <section className={styles['gallery']} aria-label={t('photos')} data-ad-picture="">
      <PhotoStage photos={photos} name={name} strip={strip} sizes={SIZES} onPress={() => setFull(true)}>
        <IconButton label={t('fullScreen')} className={styles['expand']} onClick={() => setFull(true)}>
          <ExpandIcon />
        </IconButton>
        {canReport && <ReportPhoto photo={photos[strip.current]} className={styles['report']} />}
      </PhotoStage>
      {photos.length > 1 && (
        <div className={styles['thumbs']}>
          {photos.map((photo, index) => (
            <button
              key={photo.id}
              type="button"
              className={styles['thumb']}
              aria-label={t('showPhoto', { number: index + 1 })}
              aria-current={index === strip.current}
              onClick={() => strip.show(index)}
            >
              <Picture photo={photo} alt="" sizes="7rem" ratio="1" />
            </button>
          ))}
        </div>
      )}
      {isFull && (
        <FullScreenPhotos
          photos={photos}
          name={name}
          canReport={canReport}
          start={strip.current}
          onClose={(index) => {
            setFull(false);
            strip.show(index, 'instant');
          }}
        />
      )}
    </section>
  );
}
