import { isHousePicture, type PhotoView } from '@alpenglow/domain/contracts';
import { FlagIcon, IconButton, useReport } from '@alpenglow/ui';
import { useText } from '../text.ts';

export interface ReportPhotoProps {
  /** The photo in sight. */
  readonly photo: PhotoView | undefined;
  readonly className?: string | undefined;
}

/** Reports one photo of an ad. The house's own pictures show nobody. */
export function ReportPhoto({ photo, className }: ReportPhotoProps) {
  const t = useText();
  const report = useReport();
  if (!photo || isHousePicture(photo.id)) return null;
  return (
    <IconButton label={t('reportPhoto')} className={className} onClick={() => report({ kind: 'media', id: photo.id })}>
      <FlagIcon />
    </IconButton>
  );
}
