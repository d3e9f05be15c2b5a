/**
 * Sets the scroll position. A new page starts at its top, and a URL with a fragment scrolls to the element. Back and a
 * reload restore the previous position. The browser would restore the position too early, before a lazily loaded page
 * has its full height. `BrowserRouter` does not restore the position at all (docs/decisions/0013-federation.md).
 */
import { tabStorage } from '@alpenglow/ui';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { useLocation, useNavigationType } from 'react-router-dom';
import { getScrollTarget, type ScrollTarget, type Visit } from './scroll-target.ts';
import { createScrollPositions } from './scroll-positions.ts';

/**
 * The time limit for restoring a scroll position. If the page is still too short at this time, it has changed or loads
 * too slowly. The position is then not restored, because later scrolling would disturb the reader.
 */
const RESTORE_ms = 3_000;
const SAVE_INTERVAL_ms = 200;

const places = createScrollPositions(tabStorage());

export function useScrollRestoration(): void {
  const { pathname, search, hash, key } = useLocation();
  const type: Visit['type'] = useNavigationType();
  // The first history entry has no unique key, so the path and the query are part of its identifier.
  const entry = `${key} ${pathname}${search}`;
  const shown = useRef<(Omit<Visit, 'type'> & { readonly entry: string }) | null>(null);

  useEffect(() => {
    history.scrollRestoration = 'manual';
    let timer: ReturnType<typeof setTimeout> | null = null;
    const onScroll = () => {
      if (!shown.current) return;
      places.set(shown.current.entry, scrollY);
      timer ??= setTimeout(() => {
        timer = null;
        places.save();
      }, SAVE_INTERVAL_ms);
    };
    addEventListener('scroll', onScroll, { passive: true });
    addEventListener('pagehide', places.save);
    return () => {
      removeEventListener('scroll', onScroll);
      removeEventListener('pagehide', places.save);
      if (timer !== null) clearTimeout(timer);
      places.save();
    };
  }, []);

  useLayoutEffect(() => {
    const before = shown.current;
    if (before?.entry === entry && before.hash === hash) return;
    const place = before || isReturn() ? places.get(entry) : null;
    const goal = getScrollTarget({ pathname, search, hash, type }, before, place);
    // From here on, scroll events belong to the new history entry.
    shown.current = { entry, pathname, search, hash };
    if (goal) return scrollUntilStable(goal);
    places.set(entry, scrollY);
  }, [entry, pathname, search, hash, type]);
}

/** Returns true if a reload, Back or Forward has loaded the document. */
function isReturn(): boolean {
  const [navigation] = performance.getEntriesByType('navigation');
  return navigation instanceof PerformanceNavigationTiming && navigation.type !== 'navigate';
}

/**
 * Scrolls to `goal`, and again whenever the page grows. Stops at the time limit, or when the visitor scrolls or types.
 * Returns a function that stops the scrolling earlier.
 */
function scrollUntilStable(goal: NonNullable<ScrollTarget>): () => void {
  const scroll = () => {
    if ('id' in goal) document.getElementById(goal.id)?.scrollIntoView({ behavior: 'instant' });
    else if (Math.abs(scrollY - goal.top) > 1) scrollTo({ top: goal.top, behavior: 'instant' });
  };
  scroll();
  if ('top' in goal && goal.top === 0) return () => undefined;

  const stop = new AbortController();
  const resizeObserver = new ResizeObserver(scroll);
  resizeObserver.observe(document.body);
  const timer = setTimeout(() => stop.abort(), RESTORE_ms);
  for (const move of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
    addEventListener(move, () => stop.abort(), { passive: true, signal: stop.signal });
  stop.signal.addEventListener('abort', () => {
    clearTimeout(timer);
    resizeObserver.disconnect();
  });
  return () => stop.abort();
}
