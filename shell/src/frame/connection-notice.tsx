import { useConnectionState } from '../live/live.ts';
import { useText } from '../text.ts';
import styles from './connection-notice.module.css';

const TEXTS = { offline: 'offline', disconnected: 'livePaused' } as const;

/**
 * Shows a notice while the connection to the server is broken, because the visible data may be out of date. The notice
 * is in the region of the toasts, so that it covers neither the heading nor an error at the top of the page.
 */
export function ConnectionNotice() {
  const t = useText();
  const connection = useConnectionState();
  return connection !== 'connected' && <p className={styles['notice']}>{t(TEXTS[connection])}</p>;
}
