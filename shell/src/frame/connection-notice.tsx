import { useSyncExternalStore } from 'react';
import { useLiveConnected } from '../live/live.ts';
import { useText } from '../text.ts';
import styles from './connection-notice.module.css';

function watchNetwork(watcher: () => void) {
  addEventListener('online', watcher);
  addEventListener('offline', watcher);
  return () => {
    removeEventListener('online', watcher);
    removeEventListener('offline', watcher);
  };
}

/**
 * Shows a notice while the live connection is broken, because the visible data may be out of date. The region is always
 * rendered, so that screen readers announce changes of its content.
 */
export function ConnectionNotice() {
  const t = useText();
  const isOnline = useSyncExternalStore(watchNetwork, () => navigator.onLine);
  const isLive = useLiveConnected();
  const text = isOnline ? (isLive ? null : t('livePaused')) : t('offline');
  return (
    <div role="status" className={styles['region']}>
      {text !== null && <p className={styles['notice']}>{text}</p>}
    </div>
  );
}
