import { parsePhotoUrl } from '@alpenglow/domain/contracts';
import { useMediaUrl } from '@alpenglow/ui';
import styles from './thumbnail.module.css';

interface ThumbnailProps {
  readonly url: string;
  /** True for content that staff should not see unprepared, e.g. reported pictures. */
  readonly isBlurred: boolean;
  readonly className?: string | undefined;
}

/** A small picture of an ad or of reported content. It has no text, because the text next to it names the content. */
export function Thumbnail({ url, isBlurred, className }: ThumbnailProps) {
  const source = useMediaUrl(parsePhotoUrl(url), url);
  return source === null ? null : (
    <img
      className={className ?? styles['small']}
      data-blurred={isBlurred || undefined}
      src={source}
      alt=""
      loading="lazy"
      width={72}
      height={90}
    />
  );
}
