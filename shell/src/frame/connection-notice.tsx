import { useSyncExternalStore } from 'react';
import { useLiveConnected } from '../live/live.ts';
import { messages } from '../messages.ts';
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
  const isOnline = useSyncExternalStore(watchNetwork, () => navigator.onLine);
  const isLive = useLiveConnected();
  const text = isOnline ? (isLive ? null : messages.livePaused) : messages.offline;
  return <div role="status">{text !== null && <p className={styles['notice']}>{text}</p>}</div>;
}
