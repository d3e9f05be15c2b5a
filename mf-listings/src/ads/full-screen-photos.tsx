import { useEffect, useEffectEvent, useRef } from 'react';
import type { PhotoView } from '@alpenglow/domain/contracts';
import { CloseIcon, IconButton } from '@alpenglow/ui';
import { useText } from './text.ts';
import { PhotoStage } from './photo-stage.tsx';
import { ReportPhoto } from './report-photo.tsx';
import { usePhotoStrip } from './use-photo-strip.ts';
import styles from './full-screen-photos.module.css';

export interface FullScreenPhotosProps {
  readonly photos: readonly PhotoView[];
  readonly name: string;
  readonly canReport: boolean;
  readonly start: number;
  /** Called with the index of the current photo when the dialog closes. */
  readonly onClose: (index: number) => void;
}

/** Shows photos on the whole screen in a native `<dialog>`. */
export function FullScreenPhotos({ photos, name, canReport, start, onClose }: FullScreenPhotosProps) {
  const t = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  const strip = usePhotoStrip(photos.length, start);
  const open = useEffectEvent((element: HTMLDialogElement) => {
    element.showModal();
    strip.show(start, 'instant');
    strip.ref.current?.focus({ preventScroll: true });
  });

  useEffect(() => {
    const element = dialog.current;
    if (!element) return;
    const focusedBefore = document.activeElement;
    open(element);
    return () => {
      element.close();
      if (focusedBefore instanceof HTMLElement) focusedBefore.focus({ preventScroll: true });
    };
  }, []);

  return (
    <dialog
      ref={dialog}
      className={styles['screen']}
      aria-label={t('photosOf', { name })}
      onCancel={(event) => {
        event.preventDefault();
        onClose(strip.current);
      }}
    >
      <PhotoStage photos={photos} name={name} strip={strip} sizes="100vw" fill>
        <IconButton label={t('common.close')} className={styles['close']} onClick={() => onClose(strip.current)}>
          <CloseIcon />
        </IconButton>
        {canReport && <ReportPhoto photo={photos[strip.current]} className={styles['report']} />}
      </PhotoStage>
    </dialog>
  );
}
