import { useEffect, useEffectEvent, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigationType } from 'react-router-dom';
import { LIST_LIMIT_MAX, type AdCard, type AdListAnswer, type AdLiveMessage } from '@alpenglow/domain/contracts';
import { adKeys, useApi, useHost, type AdFilter, type AdPages } from '@alpenglow/ui';
import {
  cardsOf,
  isCoverPreparing,
  isPreparing,
  missing,
  newcomers,
  pagesWith,
  totalOf,
  withAdGone,
  withFirst,
  withNewer,
  withoutGone,
} from './ad-pages.ts';
import { createGatherer } from './gather.ts';

/** Nearer to the top than this, the visitor counts as being there. */
const TOP_px = 240;
/** A burst of messages makes one request at its start and one at its end. */
const GATHER_ms = 400;
/** A list that was loaded or looked after within this time is not asked for again on arrival. */
const FRESH_ms = 30_000;
const PREPARING_FIRST_ms = 800;
const PREPARING_LAST_ms = 15_000;

export interface LiveListOptions {
  /** Whether somebody is at it just now, so that nothing may move even at the top. */
  readonly isHeld: () => boolean;
  /** For a list of one page that is not scrolled through: it counts as read at its top, wherever the page stands. */
  readonly isAlwaysAtTop?: boolean;
}

export interface LiveList {
  /** New or bumped ads that wait, while the visitor reads. */
  readonly waiting: number;
  /** Puts them in, at the top. Rejects with an `ApiError`. */
  readonly showWaiting: () => Promise<void>;
}

/**
 * Keeps a loaded list true while it stands, without moving what is read. A changed ad changes in its place; the card of one that is
 * gone keeps its place until the visitor leaves. A new or bumped ad appears at once for a visitor who is at the top and at rest; for
 * one who reads it waits behind a pill. In order of price a new ad belongs anywhere, so it always waits.
 */
export function useLiveList(
  filter: AdFilter,
  pages: AdPages | undefined,
  { isHeld, isAlwaysAtTop = false }: LiveListOptions,
): LiveList {
  const api = useApi();
  const { onLive } = useHost();
  const { key: entry } = useLocation();
  const navigationType: string = useNavigationType();
  const queryClient = useQueryClient();
  const queryKey = adKeys.list(filter);
  const list = JSON.stringify(queryKey);
  const [news, setNews] = useState({ list: '', count: 0 });
  const { sort = 'bumped' } = filter;
  const isByPrice = sort === 'price' || sort === 'price_desc';

  const isAtRest = () => (isAlwaysAtTop || window.scrollY < TOP_px) && !isHeld();
  const shownNow = () => queryClient.getQueryData<AdPages>(queryKey);
  /** Changes what is shown; when the list was last compared with the server stays as it is. */
  const change = (how: (pages: AdPages) => AdPages) =>
    queryClient.setQueryData<AdPages>(queryKey, (current) => current && how(current), {
      updatedAt: queryClient.getQueryState(queryKey)?.dataUpdatedAt ?? Date.now(),
    });

  const showFirst = async () => {
    const fresh = await api.listAds(filter);
    queryClient.setQueryData<AdPages>(queryKey, (current) =>
      current && !isByPrice ? withFirst(current, fresh) : { pages: [fresh], pageParams: [null] },
    );
    setNews({ list, count: 0 });
  };

  /** In order of price the first page does not tell; the total does, where it is counted. */
  const newsIn = (current: AdPages, fresh: AdListAnswer) => {
    if (!isByPrice) return newcomers(current, fresh.data, sort);
    return Math.max(0, (fresh.total ?? 0) - (totalOf(current) ?? 0));
  };

  const countNews = async () => {
    const fresh = await api.listAds(filter, isByPrice ? { limit: 1 } : {});
    const current = shownNow();
    if (!current) return;
    setNews({ list, count: newsIn(current, fresh) });
  };

  /** Brings the pages with such cards up to date, each asked for from where it began. */
  const refresh = async (isMeant: (card: AdCard) => boolean) => {
    const current = shownNow();
    if (!current) return;
    for (const index of pagesWith(current, isMeant)) {
      const cursor = current.pageParams[index] as string | null;
      // News push cards off the first page, so a little more is asked for than it has.
      const limit = Math.min(LIST_LIMIT_MAX, (current.pages[index]?.data.length ?? 0) + news.count + 1);
      const answer = await api.listAds(filter, { cursor, limit });
      change((now) => withNewer(now, answer.data, sort));
    }
  };

  /** Compares a list that was kept with what there is now: what is new is counted, what has changed or is gone is shown in its place. */
  const compare = async () => {
    const fresh = await api.listAds(filter, {
      limit: Math.min(LIST_LIMIT_MAX, Math.max(1, cardsOf(shownNow()).length)),
    });
    const current = shownNow();
    if (!current) return;
    setNews({ list, count: newsIn(current, fresh) });
    const gone = isByPrice ? [] : missing(current, fresh);
    queryClient.setQueryData<AdPages>(
      queryKey,
      (now) => now && gone.reduce(withAdGone, withNewer(now, fresh.data, sort)),
    );
  };

  const apply = async (messages: readonly AdLiveMessage[]) => {
    const isNews = messages.some(({ type }) => type === 'ad_created' || (type === 'ad_bumped' && sort === 'bumped'));
    if (isNews && isAtRest() && !isByPrice) {
      await showFirst();
    } else if (isNews) {
      await countNews();
    }
    const changed = new Set(
      messages.flatMap(({ type, adId }) =>
        type === 'ad_updated' || (type === 'ad_bumped' && sort !== 'bumped') ? [adId] : [],
      ),
    );
    if (changed.size > 0) await refresh((card) => changed.has(card.id));
  };

  const onMessages = useEffectEvent((messages: readonly AdLiveMessage[]) => {
    // A list that could not be refreshed stays as it is; the next message, or the visitor, asks again.
    apply(messages).catch(() => undefined);
  });

  const take = useEffectEvent((message: AdLiveMessage): boolean => {
    api.positions.seen(message.seq);
    const isHere = concerns(message, filter);
    if (message.type === 'ad_deleted' || (message.type === 'ad_updated' && !isHere))
      change((current) => withAdGone(current, message.adId));
    return message.type !== 'ad_deleted' && isHere;
  });

  useEffect(() => {
    const gatherer = createGatherer<AdLiveMessage>(GATHER_ms, (messages) => onMessages(messages));
    const stopListening = onLive((message) => {
      if (take(message)) gatherer.add(message);
    });
    return () => {
      stopListening();
      gatherer.stop();
    };
  }, [onLive]);

  const arrive = useEffectEvent(() => {
    const state = queryClient.getQueryState(queryKey);
    if (state?.data === undefined || (!state.isInvalidated && Date.now() - state.dataUpdatedAt < FRESH_ms)) return;
    // Back shows the list as it was left, and says what is new; a list that is opened again begins with what is new.
    (navigationType === 'POP' ? compare() : showFirst()).catch(() => undefined);
  });
  useEffect(() => {
    // oxlint-disable-next-line react/set-state-in-effect -- nothing is set before an answer is there
    arrive();
    const left = JSON.parse(list) as readonly unknown[];
    return () =>
      void queryClient.setQueryData<AdPages>(left, (kept) => kept && withoutGone(kept), {
        updatedAt: queryClient.getQueryState(left)?.dataUpdatedAt ?? 0,
      });
  }, [entry, list, queryClient]);

  const onOutdated = useEffectEvent(() => {
    (isAtRest() && !isByPrice ? showFirst() : compare()).catch(() => undefined);
  });
  useEffect(() => {
    const cache = queryClient.getQueryCache();
    // Somebody knows that messages were missed, e.g. after a long sleep of the machine.
    return cache.subscribe((event) => {
      if (event.type !== 'updated' || event.action.type !== 'invalidate') return;
      if (event.query === cache.find({ queryKey: JSON.parse(list) as readonly unknown[], exact: true })) onOutdated();
    });
  }, [list, queryClient]);

  const preparing = isPreparing(cardsOf(pages));
  const onPreparing = useEffectEvent(() => {
    refresh(isCoverPreparing).catch(() => undefined);
  });
  useEffect(() => {
    if (!preparing) return;
    // The live channel does not tell when a photo is done, so a list that shows one in the making asks, ever more seldom.
    let wait_ms = PREPARING_FIRST_ms;
    let timer = setTimeout(function ask() {
      onPreparing();
      wait_ms = Math.min(PREPARING_LAST_ms, wait_ms * 2);
      timer = setTimeout(ask, wait_ms);
    }, wait_ms);
    return () => clearTimeout(timer);
  }, [preparing]);

  return { waiting: news.list === list ? news.count : 0, showWaiting: showFirst };
}

/** False only when the message says where it belongs, and that is elsewhere. */
export function concerns({ place }: AdLiveMessage, filter: AdFilter): boolean {
  if (!place) return true;
  const fits = (wanted: string | undefined, is: string) =>
    wanted === undefined || wanted.toLowerCase() === is.toLowerCase();
  return fits(filter.state, place.state) && fits(filter.city, place.city) && fits(filter.category, place.category);
}
