import { useRef, useState } from 'react';
import type { PhotoView } from '@alpenglow/domain/contracts';
import { ChevronLeftIcon, ChevronRightIcon, classNames, fill, IconButton, listingsMessages as text, Picture } from '@alpenglow/ui';
import styles from './gallery.module.css';

const SIZES = '(width < 48rem) 100vw, (width < 80rem) 50vw, 36rem';

export interface GalleryProps {
  readonly photos: readonly PhotoView[];
  /** Whose photos they are, for those who do not see them. */
  readonly name: string;
}

/** Photos side by side: swiped on a phone, stepped through or picked elsewhere, scrolled with the arrow keys. */
export function Gallery({ photos, name }: GalleryProps) {
  const strip = useRef<HTMLUListElement>(null);
  const [current, setCurrent] = useState(0);
  const show = (index: number) => strip.current?.children[index]?.scrollIntoView({ block: 'nearest', inline: 'center' });
  const altOf = (index: number) => fill(text.photoOf, { number: index + 1, count: photos.length, name });

  if (photos.length === 0) return <Picture photo={null} alt="" sizes={SIZES} />;
  return (
    <section className={styles['gallery']} aria-label={text.photos}>
      <div className={styles['stage']}>
        <ul
          ref={strip}
          role="list"
          className={styles['strip']}
          tabIndex={photos.length > 1 ? 0 : undefined}
          aria-label={text.photos}
          onScroll={({ currentTarget }) => setCurrent(Math.round(currentTarget.scrollLeft / Math.max(1, currentTarget.clientWidth)))}
        >
          {photos.map((photo, index) => (
            <li key={photo.id}>
              <Picture photo={photo} alt={altOf(index)} sizes={SIZES} whole priority={index === 0} />
            </li>
          ))}
        </ul>
        {photos.length > 1 && (
          <>
            <IconButton label={text.previousPhoto} className={classNames(styles['step'], styles['previous'])} disabled={current === 0} onClick={() => show(current - 1)}>
              <ChevronLeftIcon />
            </IconButton>
            <IconButton label={text.nextPhoto} className={classNames(styles['step'], styles['next'])} disabled={current === photos.length - 1} onClick={() => show(current + 1)}>
              <ChevronRightIcon />
            </IconButton>
            <span className={styles['count']} aria-hidden="true">
              {current + 1} / {photos.length}
            </span>
          </>
        )}
      </div>
      {photos.length > 1 && (
        <div className={styles['thumbs']}>
          {photos.map((photo, index) => (
            <button key={photo.id} type="button" className={styles['thumb']} aria-label={fill(text.showPhoto, { number: index + 1 })} aria-current={index === current} onClick={() => show(index)}>
              <Picture photo={photo} alt="" sizes="7rem" ratio="1" />
            </button>
          ))}
        </div>
      )}
    </section>
  );
}
