/**
 * The only live channel of the page. Each listener receives all live messages of its kind (about ads or about threads),
 * in order.
 */
import { useEffect, useSyncExternalStore } from 'react';
import {
  isAdMessage,
  type AdLiveMessage,
  type LiveMessage,
  type LiveTicketResponse,
  type ThreadLiveMessage,
} from '@alpenglow/domain/contracts';
import { createApi, firstPosition } from '@alpenglow/ui';
import { queryClient } from '../query-client.ts';
import { sessionStore, useSession } from '../session/session.ts';
import { LiveClient } from './live-client.ts';
import { refetchFailed, refetchQueries, markInactiveAsStale } from './stale-queries.ts';

const adListeners = new Set<(message: AdLiveMessage) => void>();
const threadListeners = new Set<(message: ThreadLiveMessage) => void>();
const watchers = new Set<() => void>();
let connected = true;

/** Calls `listener` for every live message about an ad. Returns a function that unsubscribes. */
export function onLive(listener: (message: AdLiveMessage) => void): () => void {
  adListeners.add(listener);
  return () => adListeners.delete(listener);
}

/** Calls `listener` for every live message about a thread. Returns a function that unsubscribes. */
export function onThreadLive(listener: (message: ThreadLiveMessage) => void): () => void {
  threadListeners.add(listener);
  return () => threadListeners.delete(listener);
}

function notifyListeners(message: LiveMessage): void {
  if (isAdMessage(message)) for (const listener of [...adListeners]) listener(message);
  else for (const listener of [...threadListeners]) listener(message);
}

const client = new LiveClient({
  open: (query) =>
    new WebSocket(`${location.origin.replace(/^http/u, 'ws')}/api/live${query === '' ? '' : `?${query}`}`),
  getTicket: async (token) =>
    (await createApi({ token }).requestWithToken<LiveTicketResponse>({ method: 'POST', path: '/auth/live-ticket' }))
      .data.ticket,
  since: firstPosition(),
  onMessage: (message) => {
    markInactiveAsStale(queryClient, message);
    notifyListeners(message);
  },
  onGap: (gap) => void refetchQueries(queryClient, gap),
  onBadToken: sessionStore.requestWasRejected,
  onConnected: (isConnected) => {
    if (isConnected && !connected) refetchFailed(queryClient);
    connected = isConnected;
    for (const watcher of watchers) watcher();
  },
});

addEventListener('online', () => refetchFailed(queryClient));

/** Connects the live channel with the visitor's current token. The root component calls this hook once. */
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

/** Returns false while the live channel is disconnected. */
function useLiveConnected(): boolean {
  return useSyncExternalStore(watch, () => connected);
}

/** `offline`: the device has no network. `disconnected`: the server cannot be reached. */
export type ConnectionState = 'connected' | 'disconnected' | 'offline';

const watchNetwork = (watcher: () => void) => {
  addEventListener('online', watcher);
  addEventListener('offline', watcher);
  return () => {
    removeEventListener('online', watcher);
    removeEventListener('offline', watcher);
  };
};

/** Returns the state of the connection to the server. */
export function useConnectionState(): ConnectionState {
  const isOnline = useSyncExternalStore(watchNetwork, () => navigator.onLine);
  const isLive = useLiveConnected();
  return isOnline ? (isLive ? 'connected' : 'disconnected') : 'offline';
}
