import { Button, EmptyState, ErrorBox, PageHeading, serverText, type Host, type RemoteName } from '@alpenglow/ui';
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { ErrorBoundary } from '../frame/error-boundary.tsx';
import { LoadingScreen } from '../frame/loading-screen.tsx';
import { useConnectionState } from '../live/live.ts';
import { useText } from '../text.ts';
import { fetchRegistry } from './registry.ts';
import { loadApp } from './federation.ts';
import { RemoteLoader } from './remote-loader.ts';
import { reportLoadError } from './watch-load-errors.ts';
import styles from './remote-area.module.css';

export const remotes = new RemoteLoader({ fetchRegistry, loadApp, report: reportLoadError });

const FAILURE_HINTS = {
  connected: 'remoteFailedHint',
  disconnected: 'remoteDisconnectedHint',
  offline: 'remoteOfflineHint',
} as const;

/**
 * The area of the page that shows a remote (micro-frontend). If the remote cannot be loaded or fails, the area shows an
 * error. The rest of the page still works.
 */
export function RemoteArea({ name, host }: { readonly name: RemoteName; readonly host: Host }) {
  const t = useText();
  const remote = useSyncExternalStore(remotes.subscribe, () => remotes.state(name));
  useEffect(() => remotes.load(name), [name]);
  const retry = () => remotes.retry(name);
  const connection = useConnectionState();
  // The files can probably be loaded as soon as the connection has returned.
  const retryFailed = useEffectEvent(() => {
    if (remotes.state(name).state === 'failed') remotes.retry(name);
  });
  useEffect(() => {
    if (connection === 'connected') retryFailed();
  }, [connection]);
  const hasFailed = remote.state === 'failed';
  // The front end can also be missing while the connection works, for example during a deployment. A changed
  // connection starts with short delays again.
  useEffect(() => (hasFailed ? remotes.keepRetrying(name) : undefined), [name, hasFailed, connection]);

  switch (remote.state) {
    case 'loading':
      return <LoadingScreen />;
    case 'ready':
      return (
        // A retry loads a new `App`. The changed `resetKey` clears the error of the boundary.
        <ErrorBoundary
          key={name}
          resetKey={remote.App}
          onError={() => reportLoadError({ remote: name, hash: remote.hash, kind: 'render' })}
          fallback={(error) => <Crashed error={error} onRetry={retry} />}
        >
          <remote.App basePath="/" host={host} />
        </ErrorBoundary>
      );
    case 'failed':
      return (
        <div className={styles['box']}>
          <PageHeading>{t('remoteFailedTitle')}</PageHeading>
          <ErrorBox message={t('remoteFailed')} onRetry={retry}>
            {t(FAILURE_HINTS[connection])}
          </ErrorBox>
        </div>
      );
    case 'unfit':
      return (
        <EmptyState
          title={<PageHeading>{t('remoteUnfit')}</PageHeading>}
          actions={<Button onClick={retry}>{t('common.retry')}</Button>}
        >
          <p>{t('remoteUnfitHint')}</p>
        </EmptyState>
      );
  }
}

function Crashed({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  const t = useText();
  return (
    <div className={styles['box']}>
      <PageHeading>{t('common.applicationError')}</PageHeading>
      <ErrorBox message={serverText(error.message)} onRetry={onRetry} />
    </div>
  );
}
