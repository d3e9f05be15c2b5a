import { useState, type ReactNode } from 'react';
import type { PhotoView } from '@alpenglow/domain/contracts';
import { translateServerText } from '../i18n/server-text.ts';
import { useUiText } from '../i18n/text.tsx';
import { ImageIcon } from '../icons/icons.tsx';
import { useIsPrivateMedia, useMediaAccess } from '../media/private-media.tsx';
import { classNames } from './class-names.ts';
import styles from './picture.module.css';
import { createSourceSet } from './source-set.ts';

export interface PictureProps {
  readonly photo: PhotoView | null;
  /** Alternative text. It is empty if a text next to the picture has the same content. */
  readonly alt: string;
  /** The `sizes` attribute of the `<img>`. The browser needs the width of the picture to choose a variant. */
  readonly sizes: string;
  readonly ratio?: string;
  /**
   * True if the whole photo is visible. In a frame with another ratio, its blurred preview is the backdrop. Otherwise
   * the photo is cropped to fill the frame, on a neutral surface. In both cases, the photo is never enlarged.
   */
  readonly showsWholePhoto?: boolean;
  /** True if the picture is loaded before other pictures. Use it for the first picture of a page. */
  readonly priority?: boolean;
  readonly className?: string | undefined;
  readonly children?: ReactNode;
}

/**
 * Shows a photo in the best format that the browser supports. A blurred preview is visible until the photo has loaded.
 * An icon replaces a photo that cannot be loaded.
 */
export function Picture(props: PictureProps) {
  // With the key, another photo at the same place does not inherit the error of the previous photo.
  const key = props.photo?.id;
  return useIsPrivateMedia() ? (
    <PrivatePicture key={key} {...props} />
  ) : (
    <LoadablePicture key={key} {...props} access="" />
  );
}

function PrivatePicture(props: PictureProps) {
  const access = useMediaAccess(props.photo?.status === 'ready' ? props.photo.id : null);
  // With the key, a new token ends the error of a photo whose token has expired.
  return <LoadablePicture key={access} {...props} access={access} />;
}

interface LoadablePictureProps extends PictureProps {
  /** The query string of every variant. Null while it is being requested. */
  readonly access: string | null;
}

function LoadablePicture(props: LoadablePictureProps) {
  const {
    photo,
    alt,
    sizes,
    ratio = '4 / 5',
    showsWholePhoto = false,
    priority = false,
    className,
    children,
    access,
  } = props;
  const t = useUiText();
  const [isBroken, setBroken] = useState(false);
  const isShown = photo?.status === 'ready' && !isBroken;
  return (
    <span
      className={classNames(styles['frame'], isShown && showsWholePhoto && styles['whole'], className)}
      style={{
        aspectRatio: ratio,
        backgroundImage:
          isShown && showsWholePhoto && ratio !== 'auto' && photo.blur ? `url("${photo.blur}")` : undefined,
      }}
    >
      {isShown ? (
        access !== null && (
          <picture>
            <source type="image/avif" srcSet={createSourceSet(photo, 'avif', access)} sizes={sizes} />
            <source type="image/webp" srcSet={createSourceSet(photo, 'webp', access)} sizes={sizes} />
            <img
              className={classNames(styles['image'], showsWholePhoto && styles['contain'])}
              style={{
                // A photo is not enlarged. The size of a photo is 0 if it is unknown.
                maxInlineSize: photo.width || undefined,
                maxBlockSize: photo.height || undefined,
                // The image itself has the blurred preview, not the frame, so that no part of it is visible next to a
                // small photo. A photo that is shown whole may not fill its image element either.
                backgroundImage: photo.blur && !showsWholePhoto ? `url("${photo.blur}")` : undefined,
              }}
              src={`${photo.url}${access}`}
              srcSet={createSourceSet(photo, 'jpg', access)}
              sizes={sizes}
              alt={alt}
              width={photo.width || undefined}
              height={photo.height || undefined}
              loading={priority ? 'eager' : 'lazy'}
              decoding="async"
              fetchPriority={priority ? 'high' : 'auto'}
              onError={() => setBroken(true)}
            />
          </picture>
        )
      ) : (
        <span className={styles['waiting']}>
          <ImageIcon size={1.6} />
          {photo?.status === 'processing' && t('ui.preparing')}
          {photo?.status === 'rejected' && photo.reason !== null && translateServerText(photo.reason)}
        </span>
      )}
      {children}
    </span>
  );
}
