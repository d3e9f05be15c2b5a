import type { ReactNode } from 'react';
import type { PhotoView } from '@alpenglow/domain/contracts';
import { ChevronLeftIcon, ChevronRightIcon, classNames, IconButton, Picture, VisuallyHidden } from '@alpenglow/ui';
import { useText } from '../text.ts';
import type { usePhotoStrip } from './use-photo-strip.ts';
import styles from './photo-stage.module.css';

export interface PhotoStageProps {
  readonly photos: readonly PhotoView[];
  /** Whose photos they are, for those who do not see them. */
  readonly name: string;
  readonly strip: ReturnType<typeof usePhotoStrip>;
  readonly sizes: string;
  /** Fills what it stands in instead of keeping the shape of a photo. */
  readonly fill?: boolean;
  /** A press on a photo. */
  readonly onPress?: () => void;
  /** Stands above the photos. */
  readonly children?: ReactNode;
}

/** The strip of photos, the buttons to step through it, and which one it is: as a number, and spoken once it stands. */
export function PhotoStage({ photos, name, strip, sizes, fill = false, onPress, children }: PhotoStageProps) {
  const t = useText();
  const { ref, current, arrivedAt, onScroll, onKeyDown, previous, next } = strip;
  const isMany = photos.length > 1;
  const wordsFor = (index: number) => t('photoOf', { number: index + 1, count: photos.length, name });
  return (
    <div className={classNames(styles['stage'], fill && styles['fill'])}>
      <ul
        ref={ref}
        role="list"
        className={styles['strip']}
        tabIndex={isMany ? 0 : undefined}
        aria-label={t('photos')}
        onScroll={onScroll}
        onKeyDown={isMany ? onKeyDown : undefined}
        onClick={onPress}
      >
        {photos.map((photo, index) => (
          <li key={photo.id}>
            <Picture
              photo={photo}
              alt={wordsFor(index)}
              sizes={sizes}
              whole
              priority={index === 0}
              {...(fill && { ratio: 'auto', className: styles['filling'] })}
            />
          </li>
        ))}
      </ul>
      {isMany && (
        <>
          <IconButton
            label={t('previousPhoto')}
            className={classNames(styles['step'], styles['previous'])}
            disabled={current === 0}
            onClick={previous}
          >
            <ChevronLeftIcon />
          </IconButton>
          <IconButton
            label={t('nextPhoto')}
            className={classNames(styles['step'], styles['next'])}
            disabled={current === photos.length - 1}
            onClick={next}
          >
            <ChevronRightIcon />
          </IconButton>
          <span className={styles['count']} aria-hidden="true">
            {current + 1} / {photos.length}
          </span>
        </>
      )}
      <VisuallyHidden>
        <span role="status">{arrivedAt !== null && wordsFor(arrivedAt)}</span>
      </VisuallyHidden>
      {children}
    </div>
  );
}
