import { Button, CrashedBox, EmptyState, ErrorBoundary, ErrorBox, PageHeading, type RemoteName } from '@alpenglow/ui';
import { memo, useCallback, useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react';
import { useLocation } from 'react-router-dom';
import { LoadingScreen } from '../frame/loading-screen.tsx';
import { useHostValue } from '../frame/use-host-value.ts';
import { useConnectionState } from '../live/live.ts';
import { reportError } from '../reports/send-report.ts';
import { useText } from '../text.ts';
import { remotes } from './remotes.ts';
import styles from './remote-area.module.css';

const FAILURE_HINTS = {
  connected: 'remoteFailedHint',
  disconnected: 'remoteDisconnectedHint',
  offline: 'remoteOfflineHint',
} as const;

interface RemoteAreaProps {
  readonly name: RemoteName;
}

/**
 * The area of the page that shows a remote (micro-frontend). If the remote cannot be loaded or fails, the area shows an
 * error. The rest of the page still works. The parent sets the name of the remote as `key`.
 */
export const RemoteArea = memo(function RemoteArea({ name }: RemoteAreaProps) {
  useEffect(() => remotes.load(name), [name]);
  const t = useText();
  const { key: entry } = useLocation();
  const current = () => remotes.state(name);
  const remote = useSyncExternalStore(remotes.subscribe, current, current);
  const hash = remote.state === 'ready' ? remote.hash : '';
  const reportRenderError = useCallback(() => reportError({ frontEnd: name, hash, kind: 'render' }), [name, hash]);
  const host = useHostValue(reportRenderError);
  const retry = () => remotes.retry(name);
  const connection = useConnectionState();
  // The files can probably be loaded as soon as the connection has returned.
  const retryFailed = useEffectEvent(() => {
    if (remotes.state(name).state === 'failed') remotes.retry(name);
  });
  const previousConnection = useRef(connection);
  useEffect(() => {
    if (previousConnection.current === connection) return;
    previousConnection.current = connection;
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
        // A retry loads a new `App`. A navigation opens another page, which may work. Both clear the error.
        <ErrorBoundary
          resetKeys={[remote.App, entry]}
          onError={reportRenderError}
          fallback={(error) => <Crashed detail={host.describeError?.(error)} onRetry={retry} />}
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
});

function Crashed({ detail, onRetry }: { readonly detail: string | undefined; readonly onRetry: () => void }) {
  const t = useText();
  return (
    <div className={styles['box']}>
      <PageHeading>{t('common.applicationError')}</PageHeading>
      <CrashedBox detail={detail} onRetry={onRetry} />
    </div>
  );
}
