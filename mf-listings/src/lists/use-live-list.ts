import { useEffect, useEffectEvent, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { LIST_LIMIT_MAX, type LiveMessage } from '@alpenglow/domain/contracts';
import { adKeys, useApi, useHost, type AdFilter, type AdPages } from '@alpenglow/ui';
import { cardsOf, isPreparing, newcomers, withNewer, withoutAd } from './ad-pages.ts';
import { createGatherer } from './gather.ts';

/** Nearer to the top than this, the visitor counts as being there: a new ad is put in at once. */
const TOP_px = 240;
/** A burst of messages makes one request at its start and one at its end. */
const GATHER_ms = 400;
const PREPARING_FIRST_ms = 800;
const PREPARING_LAST_ms = 15_000;

interface LiveList {
  /** New or bumped ads that wait above, while the visitor reads further down. */
  readonly waiting: number;
  /** Shows them. */
  readonly showWaiting: () => void;
}

/**
 * Keeps a loaded list true while it stands. A deleted ad goes, a changed one changes in its place. A new or bumped one appears at
 * once for a visitor at the top; for one further down it waits behind a pill, so that nothing jumps.
 * `isAlwaysAtTop` is for lists of one page that never grow.
 */
export function useLiveList(filter: AdFilter, pages: AdPages | undefined, isAlwaysAtTop = false): LiveList {
  const api = useApi();
  const { onLive } = useHost();
  const queryClient = useQueryClient();
  const queryKey = adKeys.list(filter);
  const [news, setNews] = useState({ list: '', count: 0 });
  const list = JSON.stringify(queryKey);

  const change = (how: (pages: AdPages) => AdPages) => queryClient.setQueryData<AdPages>(queryKey, (current) => current && how(current));

  const reload = async () => {
    setNews({ list, count: 0 });
    await queryClient.invalidateQueries({ queryKey, exact: true });
  };

  /** Brings what is shown up to date without moving it. */
  const refreshInPlace = async () => {
    const shown = Math.min(LIST_LIMIT_MAX, Math.max(1, cardsOf(pages).length));
    const answer = await api.listAds(filter, { limit: shown });
    change((current) => withNewer(current, answer.data));
  };

  const countNewcomers = async () => {
    const answer = await api.listAds(filter);
    const current = queryClient.getQueryData<AdPages>(queryKey);
    if (current) setNews({ list, count: newcomers(current, answer.data, filter.sort) });
  };

  const apply = async (messages: readonly LiveMessage[]) => {
    const isNews = messages.some(({ type }) => type === 'ad_created' || (type === 'ad_bumped' && filter.sort !== 'newest'));
    if (isNews && (isAlwaysAtTop || window.scrollY < TOP_px)) {
      await reload();
      return;
    }
    if (isNews) await countNewcomers();
    const shownIds = new Set(cardsOf(pages).map((card) => card.id));
    if (messages.some(({ type, adId }) => type === 'ad_updated' && shownIds.has(adId))) await refreshInPlace();
  };

  const onMessages = useEffectEvent((messages: readonly LiveMessage[]) => {
    // A list that could not be refreshed stays as it is; the next message, or the visitor, asks again.
    apply(messages).catch(() => undefined);
  });

  const take = useEffectEvent((message: LiveMessage): boolean => {
    api.positions.seen(message.seq);
    if (message.type !== 'ad_deleted') return concerns(message, filter);
    change((current) => withoutAd(current, message.adId));
    return false;
  });

  useEffect(() => {
    const gatherer = createGatherer<LiveMessage>(GATHER_ms, (messages) => onMessages(messages));
    const stopListening = onLive((message) => {
      if (take(message)) gatherer.add(message);
    });
    return () => {
      stopListening();
      gatherer.stop();
    };
  }, [onLive]);

  const preparing = isPreparing(cardsOf(pages));
  const onPreparing = useEffectEvent(() => {
    refreshInPlace().catch(() => undefined);
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

  return {
    waiting: news.list === list ? news.count : 0,
    showWaiting() {
      window.scrollTo({ top: 0 });
      reload().catch(() => undefined);
    },
  };
}

/** False only when the message says where it belongs, and that is elsewhere. */
export function concerns({ place }: LiveMessage, filter: AdFilter): boolean {
  if (!place) return true;
  const fits = (wanted: string | undefined, is: string) => wanted === undefined || wanted.toLowerCase() === is.toLowerCase();
  return fits(filter.state, place.state) && fits(filter.city, place.city) && fits(filter.category, place.category);
}
