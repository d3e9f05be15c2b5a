import { Button, CloseIcon, IconButton, useSharePercentage } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { isRejected, type MediaItem } from './media-item.ts';
import styles from './media.module.css';

export interface UploadOverlayProps {
  readonly item: MediaItem;
  readonly progressLabel: string;
  readonly cancelLabel: string;
  readonly onCancel: () => void;
}

/** Covers a photo or video during its upload. Shows the progress and a cancel button. */
export function UploadOverlay({ item, progressLabel, cancelLabel, onCancel }: UploadOverlayProps) {
  const t = useText();
  const { state, progress, isWaiting } = item;
  const share = useSharePercentage(progress);
  const sending = isWaiting ? t('waitingForConnection') : progress < 1 ? share : t('checking');
  return (
    <div className={styles['veil']}>
      <span>{state === 'waiting' ? t('waiting') : sending}</span>
      <IconButton label={cancelLabel} onClick={onCancel}>
        <CloseIcon />
      </IconButton>
      {state === 'uploading' && <progress value={progress} max={1} aria-label={progressLabel} />}
    </div>
  );
}

export interface UploadErrorProps {
  readonly item: MediaItem;
  readonly retryLabel: string;
  readonly onRetry: () => void;
}

/** Shows the error of a failed upload, and a retry button unless the server has rejected the file. */
export function UploadError({ item, retryLabel, onRetry }: UploadErrorProps) {
  const t = useText();
  const { problem } = item;
  if (problem === null) return null;
  return (
    <>
      <p className={styles['problem']}>{problem}</p>
      {!isRejected(item) && (
        <Button size="small" aria-label={retryLabel} onClick={onRetry}>
          {t('common.retry')}
        </Button>
      )}
    </>
  );
}
