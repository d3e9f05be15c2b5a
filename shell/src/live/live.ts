/**
 * The only live channel of the page. Each listener receives the live messages of its kind (about ads or about threads)
 * to which the page is subscribed, in order.
 */
import { useEffect, useSyncExternalStore } from 'react';
import { isAdMessage, type AdLiveMessage, type LiveMessage, type ThreadLiveMessage } from '@alpenglow/domain/contracts';
import { createApi, firstPosition, useIsHydrated, type LiveInterest } from '@alpenglow/ui';
import { queryClient } from '../query-client.ts';
import { sessionStore, useSession } from '../session/session.ts';
import { LiveClient, type Mark } from './live-client.ts';
import { trackQueryMarks } from './query-marks.ts';
import { refetchFailed, refetchQueries, markInactiveAsStale } from './stale-queries.ts';
import { Subscriptions } from './subscriptions.ts';

const adListeners = new Set<(message: AdLiveMessage) => void>();
const threadListeners = new Set<(message: ThreadLiveMessage) => void>();
const watchers = new Set<() => void>();
let connected = true;

/**
 * Calls `listener` for live messages about ads, and subscribes to the topics of `interest`. Remotes of earlier builds
 * pass no interest and receive all messages. Returns a function that unsubscribes.
 */
export function onLive(listener: (message: AdLiveMessage) => void, interest: LiveInterest = {}): () => void {
  return listen(adListeners, listener, interest);
}

/** Calls `listener` for live messages about threads, as `onLive` does for ads. */
export function onThreadLive(listener: (message: ThreadLiveMessage) => void, interest: LiveInterest = {}): () => void {
  return listen(threadListeners, listener, interest);
}

function listen<Listener>(listeners: Set<Listener>, listener: Listener, interest: LiveInterest): () => void {
  listeners.add(listener);
  const unsubscribe = subscriptions.add(interest);
  return () => {
    listeners.delete(listener);
    unsubscribe();
  };
}

function notifyListeners(message: LiveMessage): void {
  if (isAdMessage(message)) for (const listener of [...adListeners]) listener(message);
  else for (const listener of [...threadListeners]) listener(message);
}

const { positions } = createApi({ token: null });
const client: LiveClient = new LiveClient({
  open: (query) =>
    new WebSocket(`${location.origin.replace(/^http/u, 'ws')}/api/live${query === '' ? '' : `?${query}`}`),
  getTicket: async (token) =>
    (await createApi({ token }).requestWithToken<'issueLiveTicket'>({ method: 'POST', path: '/auth/live-ticket' })).data
      .ticket,
  since: firstPosition(),
  onMessage: (message) => {
    markInactiveAsStale(queryClient, message);
    notifyListeners(message);
  },
  onReply: (reply) => subscriptions.receive(reply),
  onPosition: positions.recordLive,
  onOpen: () => subscriptions.connected(),
  onGap: (gap) => {
    marks.reset();
    void refetchQueries(queryClient, gap);
  },
  onBadToken: sessionStore.requestWasRejected,
  onConnected: (isConnected) => {
    if (isConnected && !connected) refetchFailed(queryClient);
    if (!isConnected) subscriptions.disconnected();
    connected = isConnected;
    for (const watcher of watchers) watcher();
  },
});

const position = (): Mark => client.position;
const marks = trackQueryMarks(queryClient, position);
const subscriptions = new Subscriptions({
  send: (message) => client.send(message),
  position,
  markOf: marks.markOf,
  setMark: marks.setMark,
  refetch: (queryKey) => {
    if (queryKey) void queryClient.invalidateQueries({ queryKey, exact: true });
    else void refetchQueries(queryClient, { isStart: false });
  },
});

/** Follows the visibility of the tab and the network. It is called once, before the first render. */
export function startLive(): void {
  // A hidden tab unsubscribes, so that it costs only the heartbeat of its connection. When it is shown again, its data
  // is loaded again if it has changed.
  subscriptions.setHidden(document.hidden);
  document.addEventListener('visibilitychange', () => subscriptions.setHidden(document.hidden));
  addEventListener('online', () => refetchFailed(queryClient));
  // Browsers do not store a page with an open connection for the Back button. A restored page continues after the last
  // position that it has received.
  addEventListener('pagehide', () => client.suspend());
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted && connectedToken !== undefined) client.connect(connectedToken);
  });
}

/** The token of the current connection. Null for a visitor without a session, undefined without a connection. */
let connectedToken: string | null | undefined;

/** Connects the live channel with the visitor's current token. The root component calls this hook once. */
export function useLiveChannel(): void {
  const session = useSession();
  const token = session.state === 'authenticated' ? session.token : null;
  // During the first render of server-rendered HTML, every visitor counts as anonymous.
  const isKnown = useIsHydrated() && session.state !== 'unknown';
  useEffect(() => {
    if (!isKnown) return;
    connectedToken = token;
    client.connect(token);
    return () => {
      connectedToken = undefined;
      client.disconnect();
    };
  }, [token, isKnown]);
}

const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

/** Returns false while the live channel is disconnected. */
function useLiveConnected(): boolean {
  return useSyncExternalStore(
    watch,
    () => connected,
    () => true,
  );
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
  const isOnline = useSyncExternalStore(
    watchNetwork,
    () => navigator.onLine,
    () => true,
  );
  const isLive = useLiveConnected();
  return isOnline ? (isLive ? 'connected' : 'disconnected') : 'offline';
}
