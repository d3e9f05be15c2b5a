import { Button, EmptyState, ErrorBox, PageHeading, serverText, type Host, type RemoteName } from '@alpenglow/ui';
import { useEffect, useSyncExternalStore } from 'react';
import { ErrorBoundary } from '../frame/error-boundary.tsx';
import { LoadingScreen } from '../frame/loading-screen.tsx';
import { useText } from '../text.ts';
import { fetchRegistry } from './registry.ts';
import { loadApp } from './federation.ts';
import { RemoteLoader } from './remote-loader.ts';
import { reportLoadError } from './watch-load-errors.ts';
import styles from './remote-area.module.css';

export const remotes = new RemoteLoader({ fetchRegistry, loadApp, report: reportLoadError });

/**
 * The area of the page that shows a remote (micro-frontend). If the remote cannot be loaded or fails, the area shows an
 * error. The rest of the page still works.
 */
export function RemoteArea({ name, host }: { readonly name: RemoteName; readonly host: Host }) {
  const t = useText();
  const remote = useSyncExternalStore(remotes.subscribe, () => remotes.state(name));
  useEffect(() => remotes.load(name), [name]);
  const retry = () => remotes.retry(name);

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
            {t('remoteFailedHint')}
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
      <PageHeading>{t('applicationError')}</PageHeading>
      <ErrorBox message={serverText(error.message)} onRetry={onRetry} />
    </div>
  );
}
