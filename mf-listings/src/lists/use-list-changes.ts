import { useEffect, useEffectEvent } from 'react';
import type { QueryClient } from '@tanstack/react-query';
import type { AdLiveMessage } from '@alpenglow/domain/contracts';
import { createPacer, useHost, useStableInterest, type AdFilter, type AdPages } from '@alpenglow/ui';
import { topicOfList } from '../ads/live-topics.ts';
import { removeInactiveAds } from './ad-pages.ts';
import type { LoadedPages } from './loaded-pages.ts';

/** Stands for changes whose live messages may be missing. */
const OUTDATED = Symbol('outdated');
const PREPARING_FIRST_ms = 800;
const PREPARING_LAST_ms = 15_000;

/**
 * Receives the live messages of a list while the component is mounted, and limits how often they cause requests.
 * `onMessage` handles a message at once, and returns true if the list needs a request. `onChanges` sends the requests.
 * `isOutdated` is true if live messages may be missing.
 */
export function useListChanges(
  queryClient: QueryClient,
  filter: AdFilter,
  { queryKey, list }: Pick<LoadedPages, 'list' | 'queryKey'>,
  onMessage: (message: AdLiveMessage) => boolean,
  onChanges: (messages: readonly AdLiveMessage[], isOutdated: boolean) => Promise<void>,
): void {
  const { onLive } = useHost();
  const interest = useStableInterest({ topics: [topicOfList(filter)], queryKey });
  const handleMessage = useEffectEvent(onMessage);
  const handleChanges = useEffectEvent((changes: readonly (AdLiveMessage | typeof OUTDATED)[]) => {
    const messages = changes.filter((change) => change !== OUTDATED);
    // If a request fails, the list stays unchanged. The next live message causes another request.
    onChanges(messages, messages.length < changes.length).catch(() => undefined);
  });

  useEffect(() => {
    const pacer = createPacer<AdLiveMessage | typeof OUTDATED>((changes) => handleChanges(changes));
    const stopPacer = pacer.start();
    const stopListening = onLive((message) => {
      if (handleMessage(message)) pacer.add(message);
    }, interest);
    const cache = queryClient.getQueryCache();
    // The list is invalidated if live messages may be missing, e.g. after the computer was suspended.
    const stopWatching = cache.subscribe((event) => {
      if (event.type !== 'updated' || event.action.type !== 'invalidate') return;
      if (event.query === cache.find({ queryKey: JSON.parse(list) as readonly unknown[], exact: true }))
        pacer.addUrgent(OUTDATED);
    });
    return () => {
      stopListening();
      stopWatching();
      stopPacer();
    };
  }, [onLive, interest, list, queryClient]);
}

/**
 * Calls `open` when a list is opened, also again from the history of the browser (`entry`). When the visitor leaves the
 * list, its inactive ads are removed.
 */
export function useOpenedList(queryClient: QueryClient, list: string, entry: string, open: () => void): void {
  const onOpened = useEffectEvent(open);
  useEffect(() => {
    onOpened();
    const previousKey = JSON.parse(list) as readonly unknown[];
    return () =>
      void queryClient.setQueryData<AdPages>(previousKey, (before) => before && removeInactiveAds(before), {
        updatedAt: queryClient.getQueryState(previousKey)?.dataUpdatedAt ?? 0,
      });
  }, [entry, list, queryClient]);
}

/** Calls `refresh` at increasing intervals while a cover photo of the list is being processed. */
export function usePreparingCovers(preparing: boolean, refresh: () => Promise<void>): void {
  const onPreparing = useEffectEvent(() => {
    refresh().catch(() => undefined);
  });
  useEffect(() => {
    if (!preparing) return;
    // No live message reports that a photo has been processed. While a cover photo is being processed, the list
    // therefore polls with increasing intervals.
    let wait_ms = PREPARING_FIRST_ms;
    let timer = setTimeout(function poll() {
      if (!document.hidden) onPreparing();
      wait_ms = Math.min(PREPARING_LAST_ms, wait_ms * 2);
      timer = setTimeout(poll, wait_ms);
    }, wait_ms);
    return () => clearTimeout(timer);
  }, [preparing]);
}
