import { Button, EmptyState, ErrorBox, PageHeading, type Host, type RemoteName } from '@alpenglow/ui';
import { useEffect, useSyncExternalStore } from 'react';
import { ErrorBoundary } from '../frame/error-boundary.tsx';
import { LoadingScreen } from '../frame/loading-screen.tsx';
import { messages } from '../messages.ts';
import { fetchRegistry } from './registry.ts';
import { loadApp } from './federation.ts';
import { RemoteLoader } from './remote-loader.ts';
import styles from './remote-area.module.css';

export const remotes = new RemoteLoader({ fetchRegistry, loadApp });

/**
 * Where a remote stands. Whatever befalls it (unreachable, slow, tampered with, built for another shell, crashed) is told here,
 * and the rest of the page goes on.
 */
export function RemoteArea({ name, host }: { readonly name: RemoteName; readonly host: Host }) {
  const remote = useSyncExternalStore(remotes.subscribe, () => remotes.state(name));
  useEffect(() => remotes.want(name), [name]);
  const retry = () => remotes.retry(name);

  switch (remote.state) {
    case 'loading':
      return <LoadingScreen />;
    case 'ready':
      return (
        // A new App, as Retry brings one, is a new boundary: what failed before is forgotten with it.
        <ErrorBoundary key={name} resetKey={remote.App} fallback={(error) => <Crashed error={error} onRetry={retry} />}>
          <remote.App basePath="/" host={host} />
        </ErrorBoundary>
      );
    case 'failed':
      return (
        <div className={styles['box']}>
          <PageHeading>{messages.remoteFailedTitle}</PageHeading>
          <ErrorBox message={messages.remoteFailed} onRetry={retry}>
            {messages.remoteFailedHint}
          </ErrorBox>
        </div>
      );
    case 'unfit':
      return (
        <EmptyState title={<PageHeading>{messages.remoteUnfit}</PageHeading>} actions={<Button onClick={retry}>{messages.retry}</Button>}>
          <p>{messages.remoteUnfitHint}</p>
        </EmptyState>
      );
  }
}

function Crashed({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  return (
    <div className={styles['box']}>
      <PageHeading>{messages.applicationError}</PageHeading>
      <ErrorBox message={error.message} onRetry={onRetry} />
    </div>
  );
}
