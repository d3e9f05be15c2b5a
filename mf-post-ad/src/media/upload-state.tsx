import { Button, CloseIcon, IconButton, useLocale } from '@alpenglow/ui';
import { useText } from '../text.ts';
import type { MediaItem } from './media-item.ts';
import styles from './media.module.css';

export interface UploadVeilProps {
  readonly item: MediaItem;
  readonly progressLabel: string;
  readonly cancelLabel: string;
  readonly onCancel: () => void;
}

/** Over a photo or video that is being sent: how far it is, and a way to stop it. */
export function UploadVeil({ item: { state, progress }, progressLabel, cancelLabel, onCancel }: UploadVeilProps) {
  const t = useText();
  const share = new Intl.NumberFormat(useLocale(), { style: 'percent' }).format(progress);
  return (
    <div className={styles['veil']}>
      <span>{state === 'waiting' ? t('waiting') : progress < 1 ? share : t('checking')}</span>
      <IconButton label={cancelLabel} onClick={onCancel}>
        <CloseIcon />
      </IconButton>
      {state === 'uploading' && <progress value={progress} max={1} aria-label={progressLabel} />}
    </div>
  );
}

export interface ProblemProps {
  readonly item: MediaItem;
  readonly retryLabel: string;
  readonly onRetry: () => void;
}

/** Why a photo or video was not sent, and a button to try again. */
export function Problem({ item: { problem }, retryLabel, onRetry }: ProblemProps) {
  const t = useText();
  if (problem === null) return null;
  return (
    <>
      <p className={styles['problem']}>{problem}</p>
      <Button size="small" aria-label={retryLabel} onClick={onRetry}>
        {t('common.retry')}
      </Button>
    </>
  );
}
