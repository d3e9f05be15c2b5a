import { useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigationType } from 'react-router-dom';
import type { AdLiveMessage } from '@alpenglow/domain/contracts';
import { useApi, type AdFilter, type AdPages } from '@alpenglow/ui';
import { useLiveEvents } from '../ads/use-live-events.ts';
import { getCards, hasPreparingCover, isCoverPreparing, markAdInactive } from './ad-pages.ts';
import { createLoadedPages } from './loaded-pages.ts';
import { useListChanges, useOpenedList, usePreparingCovers } from './use-list-changes.ts';
import { useListRequests } from './use-list-requests.ts';

/** Up to this scroll position, the visitor counts as reading the top of the list. */
const TOP_px = 240;
/** Time for which a list counts as current. When such a list is opened, it is not fetched again. */
const FRESH_ms = 30_000;

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
  const { key: entry } = useLocation();
  const navigationType: string = useNavigationType();
  const queryClient = useQueryClient();
  const loadedPages = createLoadedPages(api, queryClient, filter, start);
  const { queryKey, list, isByBump, isByPrice, currentPages, change, refill } = loadedPages;
  const { waiting, showFirst, updateCount, refresh, compare } = useListRequests(api, queryClient, filter, loadedPages);
  const { kinds: events, count, forget: forgetEvents } = useLiveEvents(list);
  const isFromFirst = start === null;

  const isAtRest = () => (isAlwaysAtTop || window.scrollY < TOP_px) && !isHeld();

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

  const handleMessage = (message: AdLiveMessage): boolean => {
    api.positions.recordLive(message.seq);
    const isInList = isRelevantFor(message, filter);
    const isShown = getCards(currentPages()).some(({ id, isActive }) => isActive && id === message.adId);
    if (concernsUser(message, filter, isShown)) count(message);
    if (message.type === 'ad_deleted' || (message.type === 'ad_updated' && !isInList))
      change((current) => markAdInactive(current, message.adId));
    return message.type === 'ad_deleted' ? isShown : isInList;
  };

  useListChanges(queryClient, filter, loadedPages, handleMessage, (messages, isOutdated) =>
    isOutdated ? update() : apply(messages),
  );
  useOpenedList(queryClient, list, entry, () => {
    const state = queryClient.getQueryState(queryKey);
    if (state?.data === undefined) return;
    if (!state.isInvalidated && (!isFromFirst || Date.now() - state.dataUpdatedAt < FRESH_ms)) return;
    // After the Back button, the visitor continues to read, so new ads are only counted. In all other cases, new ads
    // are shown immediately.
    const load = isFromFirst && navigationType === 'POP' ? compare : isFromFirst ? showFirst : update;
    load().catch(() => undefined);
  });
  usePreparingCovers(hasPreparingCover(getCards(pages)), () => refresh(isCoverPreparing));

  return { waiting, showWaiting: showFirst, events, forgetEvents };
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
