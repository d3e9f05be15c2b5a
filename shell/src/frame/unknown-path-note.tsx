import { useText } from '../text.ts';
import styles from './access-denied.module.css';

/** Checks whether the browser went to the home page because the requested path is unknown. */
export const isFromUnknownPath = (state: unknown): boolean =>
  typeof state === 'object' && state !== null && 'isUnknownPath' in state && state.isUnknownPath === true;

/** States that the requested page does not exist. */
export function UnknownPathNote() {
  const t = useText();
  return (
    <p role="alert" className={styles['notice']}>
      <strong>{t('unknownPath')}</strong>
    </p>
  );
}
