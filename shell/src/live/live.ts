/** The page's one live channel: everybody who listens hears every message, in order. */
import { useEffect, useSyncExternalStore } from 'react';
import type { LiveMessage } from '@alpenglow/domain/contracts';
import { firstPosition } from '@alpenglow/ui';
import { queryClient } from '../query-client.ts';
import { sessionStore, useSession } from '../session/session.ts';
import { LiveClient } from './live-client.ts';
import { askForAdsAgain, markHiddenAds } from './stale-ads.ts';

const listeners = new Set<(message: LiveMessage) => void>();
const watchers = new Set<() => void>();
let connected = true;

/** Calls back for every live message; returns how to stop. */
export function onLive(listener: (message: LiveMessage) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const client = new LiveClient({
  open: (query) => new WebSocket(`${location.origin.replace(/^http/u, 'ws')}/api/live${query === '' ? '' : `?${query}`}`),
  since: firstPosition(),
  onMessage: (message) => {
    markHiddenAds(queryClient, message);
    for (const listener of [...listeners]) listener(message);
  },
  onGap: (gap) => void askForAdsAgain(queryClient, gap),
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
