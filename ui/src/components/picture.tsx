import type { ReactNode } from 'react';
import type { PhotoView } from '@alpenglow/domain/contracts';
import { serverText } from '../i18n/server-text.ts';
import { useUiText } from '../i18n/text.tsx';
import { ImageIcon } from '../icons/icons.tsx';
import { classNames } from './class-names.ts';
import styles from './picture.module.css';
import { sourceSet } from './source-set.ts';

export interface PictureProps {
  /** Null: there is no picture. */
  readonly photo: PhotoView | null;
  /** Empty when the text beside it says the same. */
  readonly alt: string;
  /** The `sizes` of an `<img>`: how wide it stands, so that the browser loads no more than it shows. */
  readonly sizes: string;
  /** Width by height of the frame, e.g. `4 / 5`. */
  readonly ratio?: string;
  /** Shows the whole photo instead of filling the frame. */
  readonly whole?: boolean;
  /** The first picture of the page: loaded at once, before others. */
  readonly priority?: boolean;
  readonly className?: string | undefined;
  /** Stands above the picture. */
  readonly children?: ReactNode;
}

/** A photo in the best format the browser knows, its blur below until it is there. */
export function Picture({
  photo,
  alt,
  sizes,
  ratio = '4 / 5',
  whole = false,
  priority = false,
  className,
  children,
}: PictureProps) {
  const t = useUiText();
  const blur = photo?.blur ? { backgroundImage: `url("${photo.blur}")` } : {};
  return (
    <span className={classNames(styles['frame'], className)} style={{ aspectRatio: ratio, ...blur }}>
      {photo?.status === 'ready' ? (
        <picture>
          <source type="image/avif" srcSet={sourceSet(photo, 'avif')} sizes={sizes} />
          <source type="image/webp" srcSet={sourceSet(photo, 'webp')} sizes={sizes} />
          <img
            className={classNames(styles['image'], whole && styles['contain'])}
            src={photo.url}
            srcSet={sourceSet(photo, 'jpg')}
            sizes={sizes}
            alt={alt}
            width={photo.width || undefined}
            height={photo.height || undefined}
            loading={priority ? 'eager' : 'lazy'}
            decoding="async"
            fetchPriority={priority ? 'high' : 'auto'}
          />
        </picture>
      ) : (
        <span className={styles['waiting']}>
          <ImageIcon size={1.6} />
          {photo?.status === 'processing' && t('ui.preparing')}
          {photo?.status === 'rejected' && photo.reason !== null && serverText(photo.reason)}
        </span>
      )}
      {children}
    </span>
  );
}
