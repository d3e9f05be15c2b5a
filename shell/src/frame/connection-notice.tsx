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

/** Says when what is shown may be out of date. The region always stands, so that screen readers speak what appears in it. */
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
