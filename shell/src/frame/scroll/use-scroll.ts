/**
 * Keeps the place of every page: `BrowserRouter` does not (the data router would, infra/decisions/0013-federation.md), and the
 * browser's own way acts before a page fetched on demand has its height. A new page starts at its top, an address that names a place
 * leads there, Back and a reload lead to where one was.
 */
import { tabStorage } from '@alpenglow/ui';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { useLocation, useNavigationType } from 'react-router-dom';
import { scrollGoal, type ScrollGoal, type Visit } from './scroll-goal.ts';
import { createScrollPlaces } from './scroll-places.ts';

/** A page that has not got its height by then has changed, or is too slow to still be moved under the reader. */
const RESTORE_ms = 3_000;
const KEEP_EVERY_ms = 200;

const places = createScrollPlaces(tabStorage());

export function useScroll(): void {
  const { pathname, search, hash, key } = useLocation();
  const type: Visit['type'] = useNavigationType();
  // A document's first entry has no key of its own, so its address counts too.
  const entry = `${key} ${pathname}${search}`;
  const shown = useRef<{
    readonly entry: string;
    readonly pathname: string;
    readonly search: string;
    readonly hash: string;
  } | null>(null);

  useEffect(() => {
    history.scrollRestoration = 'manual';
    let timer: ReturnType<typeof setTimeout> | null = null;
    const onScroll = () => {
      if (!shown.current) return;
      places.set(shown.current.entry, scrollY);
      timer ??= setTimeout(() => {
        timer = null;
        places.keep();
      }, KEEP_EVERY_ms);
    };
    addEventListener('scroll', onScroll, { passive: true });
    addEventListener('pagehide', places.keep);
    return () => {
      removeEventListener('scroll', onScroll);
      removeEventListener('pagehide', places.keep);
      if (timer !== null) clearTimeout(timer);
      places.keep();
    };
  }, []);

  useLayoutEffect(() => {
    const before = shown.current;
    if (before?.entry === entry && before.hash === hash) return;
    const place = before || isReturn() ? places.get(entry) : null;
    const goal = scrollGoal({ pathname, search, hash, type }, before, place);
    // What was read while the page was shown is known by now; what the browser says from here on is of this entry.
    shown.current = { entry, pathname, search, hash };
    if (goal) return pursue(goal);
    places.set(entry, scrollY);
  }, [entry, pathname, search, hash, type]);
}

/** Whether the document itself was come back to: by Back from another site, or by a reload. */
function isReturn(): boolean {
  const [navigation] = performance.getEntriesByType('navigation');
  return navigation instanceof PerformanceNavigationTiming && navigation.type !== 'navigate';
}

/** Goes where a page is to be, again whenever the page grows, until the time is over or the visitor moves by themselves. Returns how to stop. */
function pursue(goal: NonNullable<ScrollGoal>): () => void {
  const go = () => {
    if ('id' in goal) document.getElementById(goal.id)?.scrollIntoView({ behavior: 'instant' });
    else if (Math.abs(scrollY - goal.top) > 1) scrollTo({ top: goal.top, behavior: 'instant' });
  };
  go();
  if ('top' in goal && goal.top === 0) return () => undefined;

  const stop = new AbortController();
  const growth = new ResizeObserver(go);
  growth.observe(document.body);
  const timer = setTimeout(() => stop.abort(), RESTORE_ms);
  for (const move of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
    addEventListener(move, () => stop.abort(), { passive: true, signal: stop.signal });
  stop.signal.addEventListener('abort', () => {
    clearTimeout(timer);
    growth.disconnect();
  });
  return () => stop.abort();
}
