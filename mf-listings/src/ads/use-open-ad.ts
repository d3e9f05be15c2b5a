import { useEffect, useMemo, useRef, type MouseEvent } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { flushSync } from 'react-dom';
import { useNavigate } from 'react-router-dom';
import type { AdCard } from '@alpenglow/domain/contracts';
import { adQuery, isPlainClick, useApi, useUser } from '@alpenglow/ui';
import { adPath } from '../paths.ts';
import { getAdPageCode, loadAdPageCode } from './ad-page-code.ts';

/** Time for which the pointer must stay on a card, so that a pointer that crosses a list loads no ads. */
const HOVER_ms = 70;

/**
 * Returns the event handlers of a card's link. They load the ad and the code of its page as soon as the visitor is
 * about to open it. On a click, the picture of the card moves to its place on the page of the ad, unless the visitor
 * prefers reduced motion.
 */
export function useOpenAd(ad: AdCard) {
  const api = useApi();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const viewer = useUser()?.id ?? null;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  return useMemo(() => {
    const load = () => {
      void queryClient.prefetchQuery(adQuery(api, ad.id, viewer));
      loadAdPageCode();
    };
    return {
      onFocus: load,
      onPointerDown: load,
      onPointerEnter: () => {
        timer.current = setTimeout(load, HOVER_ms);
      },
      onPointerLeave: () => clearTimeout(timer.current),
      onClick: (event: MouseEvent<HTMLAnchorElement>) => {
        const picture = event.currentTarget.closest('article')?.querySelector('img');
        const page = getAdPageCode();
        if (!isPlainClick(event) || !picture || !page || !canAnimate()) return;
        event.preventDefault();
        page.moveToPage(picture, () => flushSync(() => void navigate(adPath(ad))));
      },
    };
  }, [ad, api, navigate, queryClient, viewer]);
}

const canAnimate = () => !window.matchMedia('(prefers-reduced-motion: reduce)').matches;
