import { useEffect, useEffectEvent, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigationType } from 'react-router-dom';
import { LIST_LIMIT_MAX, type AdCard, type AdListResponse, type AdLiveMessage } from '@alpenglow/domain/contracts';
import { adKeys, createPacer, useApi, useHost, useStableInterest, type AdFilter, type AdPages } from '@alpenglow/ui';
import { topicOfList } from '../ads/live-topics.ts';
import { useLiveEvents } from '../ads/use-live-events.ts';
import {
  getCards,
  isCoverPreparing,
  hasPreparingCover,
  findMissingAds,
  countNewAds,
  extendLastPage,
  findPages,
  getNextCursor,
  getTotal,
  markAdInactive,
  insertFirstPage,
  updateCards,
  removeInactiveAds,
} from './ad-pages.ts';

/** Up to this scroll position, the visitor counts as reading the top of the list. */
const TOP_px = 240;
/** Time for which a list counts as current. When such a list is opened, it is not fetched again. */
const FRESH_ms = 30_000;
const PREPARING_FIRST_ms = 800;
const PREPARING_LAST_ms = 15_000;
/** Stands for changes whose live messages may be missing. */
const OUTDATED = Symbol('outdated');

export interface LiveListOptions {
  /** The cursor of the page with which the list begins. A list that begins with a later page contains no new ads. */
  readonly start?: string | null;
  /** Returns true while the visitor interacts with the list. The content must not move then. */
  readonly isHeld: () => boolean;
  /** True for a short list without paging. The scroll position is then ignored. */
  readonly isAlwaysAtTop?: boolean;
}

/**
 * Applies live changes to a loaded list without moving the content that the visitor reads. A changed ad is updated at
 * its position. If the visitor is at the top of the list and not interacting with it, a new or bumped ad is shown
 * immediately, and a deleted ad disappears. Otherwise, a new ad is only counted in `waiting`, and a deleted ad becomes
 * an inactive card until the visitor leaves the page. After a deletion, the next ads move into the list. In a list
 * ordered by price, a new ad is always only counted, because it may belong at any position. Requests are limited: the
 * first message causes one immediately, and further messages cause one every 3 to 15 s. A hidden tab sends none
 * (R-4.43).
 * @returns the number of `waiting` ads, and a function that shows them. The function rejects with an `ApiError`. Also
 *   the kinds of the latest events. They are forgotten after 12 s, and when `forgetEvents` is called.
 */
export function useLiveList(
  filter: AdFilter,
  pages: AdPages | undefined,
  { start = null, isHeld, isAlwaysAtTop = false }: LiveListOptions,
) {
  const api = useApi();
  const { onLive } = useHost();
  const { key: entry } = useLocation();
  const navigationType: string = useNavigationType();
  const queryClient = useQueryClient();
  const queryKey = adKeys.list(filter, start);
  const list = JSON.stringify(queryKey);
  const interest = useStableInterest({ topics: [topicOfList(filter)], queryKey });
  const [newAds, setNewAds] = useState({ list: '', count: 0 });
  const { kinds: events, count, forget: forgetEvents } = useLiveEvents(list);
  const { sort = 'bumped' } = filter;
  // Matches of a search are ordered by relevance, so a bump does not move them to the top.
  const isByBump = sort === 'bumped' && filter.q === undefined;
  const isByPrice = sort === 'price' || sort === 'price_desc';
  const isFromFirst = start === null;
  // An edit can move an ad down, because its title no longer matches the search.
  const canMoveDown = isByPrice || filter.q !== undefined;

  const isAtRest = () => (isAlwaysAtTop || window.scrollY < TOP_px) && !isHeld();
  const currentPages = () => queryClient.getQueryData<AdPages>(queryKey);
  /** Changes the displayed pages without changing the time at which they were last compared with the server. */
  const change = (update: (pages: AdPages) => AdPages) =>
    queryClient.setQueryData<AdPages>(queryKey, (current) => current && update(current), {
      updatedAt: queryClient.getQueryState(queryKey)?.dataUpdatedAt ?? Date.now(),
    });

  const showFirst = async () => {
    const fresh = await api.listAds(filter);
    queryClient.setQueryData<AdPages>(queryKey, (current) =>
      current && !isByPrice ? insertFirstPage(current, fresh) : { pages: [fresh], pageParams: [null] },
    );
    setNewAds({ list, count: 0 });
    return fresh.data;
  };

  /** Returns the number of new ads. In a list ordered by price, it is the increase of the total. */
  const countNewIn = (current: AdPages, fresh: AdListResponse) => {
    if (!isByPrice) return countNewAds(current, fresh.data, { isByBump });
    return Math.max(0, (fresh.total ?? 0) - (getTotal(current) ?? 0));
  };

  const updateCount = async () => {
    const fresh = await api.listAds(filter, isByPrice ? { limit: 1 } : {});
    const current = currentPages();
    if (current) setNewAds({ list, count: countNewIn(current, fresh) });
    return fresh.data;
  };

  /** Appends the ads that follow the list, so that the list has as many ads as before `count` ads were deleted. */
  const refill = async (count: number) => {
    const cursor = getNextCursor(currentPages());
    if (cursor === null) return;
    const following = await api.listAds(filter, { cursor, limit: Math.min(LIST_LIMIT_MAX, count) });
    change((latest) => (getNextCursor(latest) === cursor ? extendLastPage(latest, following) : latest));
  };

  /**
   * Fetches all pages that contain matching cards again. Every page is requested with the cursor with which it was
   * loaded.
   */
  const refresh = async (matches: (card: AdCard) => boolean) => {
    const current = currentPages();
    if (!current) return;
    for (const index of findPages(current, matches)) {
      const cursor = current.pageParams[index] as string | null;
      // New ads may have moved cards to the next page, so the limit includes the number of new ads.
      const limit = Math.min(LIST_LIMIT_MAX, (current.pages[index]?.data.length ?? 0) + newAds.count + 1);
      const response = await api.listAds(filter, { cursor, limit });
      change((latest) => updateCards(latest, response.data, { isByBump }));
    }
  };

  /**
   * Compares a cached list with the server. Counts new ads, updates changed ads at their positions, and marks deleted
   * ads as inactive.
   */
  const compare = async () => {
    const fresh = await api.listAds(filter, {
      limit: Math.min(LIST_LIMIT_MAX, Math.max(1, getCards(currentPages()).length)),
    });
    const current = currentPages();
    if (!current) return;
    setNewAds({ list, count: countNewIn(current, fresh) });
    const deletedIds = canMoveDown ? [] : findMissingAds(current, fresh);
    queryClient.setQueryData<AdPages>(
      queryKey,
      (latest) => latest && deletedIds.reduce(markAdInactive, updateCards(latest, fresh.data, { isByBump })),
    );
  };

  const apply = async (messages: readonly AdLiveMessage[]) => {
    const removed = messages.filter(({ type }) => type === 'ad_deleted').length;
    const addsAds =
      isFromFirst &&
      messages.some(
        ({ type, isRestored }) => type === 'ad_created' || isRestored || (type === 'ad_bumped' && isByBump),
      );
    const showsFirst = isFromFirst && (addsAds || removed > 0) && isAtRest() && !isByPrice;
    let loaded: ReadonlySet<string> = new Set();
    if (showsFirst || addsAds) {
      loaded = new Set((await (showsFirst ? showFirst() : updateCount())).map(({ id }) => id));
      // Only the response shows whether these ads match the filter.
      for (const message of messages)
        if (!concernsUser(message, filter, false) && !message.isRestored && loaded.has(message.adId)) count(message);
    }
    if (removed > 0 && !showsFirst) await refill(removed);
    const changed = new Set(
      messages.flatMap(({ type, adId }) =>
        type === 'ad_updated' || (type === 'ad_bumped' && !isByBump) ? [adId] : [],
      ),
    );
    // The cards of a new first page are up to date.
    if (changed.size > 0) await refresh(({ id }) => changed.has(id) && !(showsFirst && loaded.has(id)));
  };

  /** Updates a list whose live messages may be missing. */
  const update = async () => {
    if (!isFromFirst) await refresh(() => true);
    else if (isAtRest() && !isByPrice) await showFirst();
    else await compare();
  };

  const onChanges = useEffectEvent((changes: readonly (AdLiveMessage | typeof OUTDATED)[]) => {
    const messages = changes.filter((change) => change !== OUTDATED);
    const isOutdated = messages.length < changes.length;
    // If a request fails, the list stays unchanged. The next live message causes another request.
    (isOutdated ? update() : apply(messages)).catch(() => undefined);
  });

  const handleMessage = useEffectEvent((message: AdLiveMessage): boolean => {
    api.positions.recordLive(message.seq);
    const isInList = isRelevantFor(message, filter);
    const isShown = getCards(currentPages()).some(({ id, isActive }) => isActive && id === message.adId);
    if (concernsUser(message, filter, isShown)) count(message);
    if (message.type === 'ad_deleted' || (message.type === 'ad_updated' && !isInList))
      change((current) => markAdInactive(current, message.adId));
    return message.type === 'ad_deleted' ? isShown : isInList;
  });

  useEffect(() => {
    const pacer = createPacer<AdLiveMessage | typeof OUTDATED>((changes) => onChanges(changes));
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

  const onOpened = useEffectEvent(() => {
    const state = queryClient.getQueryState(queryKey);
    if (state?.data === undefined) return;
    if (!state.isInvalidated && (!isFromFirst || Date.now() - state.dataUpdatedAt < FRESH_ms)) return;
    // After the Back button, the visitor continues to read, so new ads are only counted. In all other cases, new ads
    // are shown immediately.
    const load = isFromFirst && navigationType === 'POP' ? compare : isFromFirst ? showFirst : update;
    load().catch(() => undefined);
  });
  useEffect(() => {
    onOpened();
    const previousKey = JSON.parse(list) as readonly unknown[];
    return () =>
      void queryClient.setQueryData<AdPages>(previousKey, (before) => before && removeInactiveAds(before), {
        updatedAt: queryClient.getQueryState(previousKey)?.dataUpdatedAt ?? 0,
      });
  }, [entry, list, queryClient]);

  const preparing = hasPreparingCover(getCards(pages));
  const onPreparing = useEffectEvent(() => {
    refresh(isCoverPreparing).catch(() => undefined);
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

  return {
    waiting: newAds.list === list ? newAds.count : 0,
    showWaiting: showFirst,
    events,
    forgetEvents,
  };
}

/**
 * Checks whether a live message concerns the user of a list, who is then notified. `isShown` is true if the
 * loaded part of the list contains the ad. Returns false if this is unknown before the list is loaded again.
 */
export function concernsUser(message: AdLiveMessage, filter: AdFilter, isShown: boolean): boolean {
  if (isShown) return true;
  if (message.isRestored) return false;
  const { state, city, category, sort: _order, ...others } = filter;
  if (Object.values(others).some((value) => value !== undefined)) return false;
  if (message.place) return isRelevantFor(message, filter);
  return state === undefined && city === undefined && category === undefined;
}

/**
 * Checks whether a live message may concern a list. Returns false if the filter of the list excludes the place or the
 * category of the ad.
 */
export function isRelevantFor({ place }: AdLiveMessage, filter: AdFilter): boolean {
  if (!place) return true;
  const equals = (expected: string | undefined, actual: string) =>
    expected === undefined || expected.toLowerCase() === actual.toLowerCase();
  return (
    equals(filter.state, place.state) && equals(filter.city, place.city) && equals(filter.category, place.category)
  );
}
