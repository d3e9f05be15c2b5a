/** The page's one live channel: everybody who listens hears every message, in order. */
import { useEffect, useSyncExternalStore } from 'react';
import { isAdMessage, type AdLiveMessage, type LiveMessage, type ThreadLiveMessage } from '@alpenglow/domain/contracts';
import { firstPosition } from '@alpenglow/ui';
import { queryClient } from '../query-client.ts';
import { sessionStore, useSession } from '../session/session.ts';
import { LiveClient } from './live-client.ts';
import { askAgain, markHidden } from './stale-queries.ts';

const adListeners = new Set<(message: AdLiveMessage) => void>();
const threadListeners = new Set<(message: ThreadLiveMessage) => void>();
const watchers = new Set<() => void>();
let connected = true;

/** Calls back for every live message of an ad; returns how to stop. */
export function onLive(listener: (message: AdLiveMessage) => void): () => void {
  adListeners.add(listener);
  return () => adListeners.delete(listener);
}

/** Calls back for every live message of a thread; returns how to stop. */
export function onThreadLive(listener: (message: ThreadLiveMessage) => void): () => void {
  threadListeners.add(listener);
  return () => threadListeners.delete(listener);
}

function tell(message: LiveMessage): void {
  if (isAdMessage(message)) for (const listener of [...adListeners]) listener(message);
  else for (const listener of [...threadListeners]) listener(message);
}

const client = new LiveClient({
  open: (query) =>
    new WebSocket(`${location.origin.replace(/^http/u, 'ws')}/api/live${query === '' ? '' : `?${query}`}`),
  since: firstPosition(),
  onMessage: (message) => {
    markHidden(queryClient, message);
    tell(message);
  },
  onGap: (gap) => void askAgain(queryClient, gap),
  onBadToken: sessionStore.callWasRefused,
  onConnected: (now) => {
    connected = now;
    for (const watcher of watchers) watcher();
  },
});

/** Keeps the channel open as whoever the visitor is. Stands once, at the top. */
export function useLiveChannel(): void {
  const session = useSession();
  const token = session.state === 'authenticated' ? session.token : null;
  const isKnown = session.state !== 'unknown';
  useEffect(() => {
    if (!isKnown) return;
    client.connect(token);
    return () => client.disconnect();
  }, [token, isKnown]);
}

const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

/** False while the channel is broken. */
export function useLiveConnected(): boolean {
  return useSyncExternalStore(watch, () => connected);
}
