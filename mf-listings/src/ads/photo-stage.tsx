import type { CSSProperties, ReactNode } from 'react';
import type { PhotoView } from '@alpenglow/domain/contracts';
import { ChevronLeftIcon, ChevronRightIcon, classNames, IconButton, Picture, VisuallyHidden } from '@alpenglow/ui';
import { useText } from './text.ts';
import type { usePhotoStrip } from './use-photo-strip.ts';
import styles from './photo-stage.module.css';

export interface PhotoStageProps {
  readonly photos: readonly PhotoView[];
  /** The name of the ad's owner, which is part of the alternative texts of the photos. */
  readonly name: string;
  readonly strip: ReturnType<typeof usePhotoStrip>;
  readonly sizes: string;
  /** True if the strip of photos fills its container. Otherwise, the strip has the aspect ratio of a photo. */
  readonly fill?: boolean;
  readonly onPress?: () => void;
  readonly children?: ReactNode;
}

/**
 * The horizontal strip of photos and its buttons. When the strip stops moving, screen readers announce the current
 * photo.
 */
export function PhotoStage({ photos, name, strip, sizes, fill = false, onPress, children }: PhotoStageProps) {
  const t = useText();
  const { ref, current, arrivedAt, onScroll, onKeyDown, previous, next } = strip;
  const hasSeveral = photos.length > 1;
  const ratio = fill ? 'auto' : stageRatio(photos);
  const labelFor = (index: number) => t('photoOf', { number: index + 1, count: photos.length, name });
  return (
    <div className={classNames(styles['stage'], fill && styles['fill'])} style={fill ? undefined : widthLimit(photos)}>
      <ul
        ref={ref}
        role="list"
        className={styles['strip']}
        tabIndex={hasSeveral ? 0 : undefined}
        aria-label={t('photos')}
        onScroll={onScroll}
        onKeyDown={hasSeveral ? onKeyDown : undefined}
        onClick={onPress}
      >
        {photos.map((photo, index) => (
          <li key={photo.id}>
            <Picture
              photo={photo}
              alt={labelFor(index)}
              sizes={sizes}
              showsWholePhoto
              priority={index === 0}
              ratio={ratio}
              className={fill ? styles['filling'] : undefined}
            />
          </li>
        ))}
      </ul>
      {hasSeveral && (
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
        <span role="status">{arrivedAt !== null && labelFor(arrivedAt)}</span>
      </VisuallyHidden>
      {children}
    </div>
  );
}

const TALLEST_RATIO = 4 / 5;
const WIDEST_RATIO = 16 / 9;

/**
 * Returns the aspect ratio (width / height) of the stage. It is the ratio of the tallest photo, so that a stage with
 * landscape photos only has no empty areas above and below them.
 */
function stageRatio(photos: readonly PhotoView[]): string {
  const ratios = photos.map(({ width, height }) => (width > 0 && height > 0 ? width / height : TALLEST_RATIO));
  return String(Math.min(WIDEST_RATIO, Math.max(TALLEST_RATIO, Math.min(...ratios))));
}

/** Returns the style that limits the stage to the widest photo, so that a small photo has no empty side areas. */
function widthLimit(photos: readonly PhotoView[]): CSSProperties | undefined {
  const widths = photos.map(({ width }) => (width > 0 ? width : Infinity));
  const widest = Math.max(...widths);
  return Number.isFinite(widest) ? { maxInlineSize: widest } : undefined;
}
