import type { PhotoView } from '@alpenglow/domain/contracts';
import { FlagIcon, IconButton, useReport } from '@alpenglow/ui';
import { useText } from './text.ts';

export interface ReportPhotoProps {
  readonly photo: PhotoView | undefined;
  readonly className?: string | undefined;
}

/** A button that reports one photo of an ad. */
export function ReportPhoto({ photo, className }: ReportPhotoProps) {
  const t = useText();
  const report = useReport();
  if (!photo) return null;
  return (
    <IconButton label={t('reportPhoto')} className={className} onClick={() => report({ kind: 'media', id: photo.id })}>
      <FlagIcon />
    </IconButton>
  );
}
