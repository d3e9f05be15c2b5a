import { useLocale } from '../i18n/text.tsx';
import styles from './upload-progress.module.css';

export interface UploadProgressProps {
  /** The uploaded fraction, from 0 to 1. */
  readonly share: number;
  /** The name of the bar for screen readers. */
  readonly label: string;
}

/** The progress of an upload as a bar with its percentage. */
export function UploadProgress({ share, label }: UploadProgressProps) {
  return (
    <div className={styles['progress']}>
      <progress value={share} max={1} aria-label={label} />
      <span>{useSharePercentage(share)}</span>
    </div>
  );
}

/** Returns a fraction as a percentage in the language of the visitor, e.g. `42%`. */
export function useSharePercentage(share: number): string {
  // Rounded down, because 100% means that the whole file has arrived.
  return new Intl.NumberFormat(useLocale(), { style: 'percent' }).format(Math.floor(share * 100) / 100);
}
