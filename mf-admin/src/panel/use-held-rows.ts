import { useCallback, useEffect, useRef, useState, type RefCallback } from 'react';
import { countWaiting, holdRows, toRows, type HeldRow } from './held-rows.ts';

/** Time for which the order stays after a touch, because a finger does not stay on the list. */
const AFTER_TOUCH_ms = 5_000;

interface HeldRows<Item> {
  readonly rows: readonly HeldRow<Item>[];
  /** The number of new items that are not in `rows` yet. */
  readonly waiting: number;
  /** Shows all items in their current order. */
  readonly release: () => void;
  /** The element that contains the rows. */
  readonly ref: RefCallback<HTMLElement>;
}

/**
 * Holds the rows of a regularly updated list in place while the pointer or the keyboard focus is inside it, so that a
 * click always reaches the intended row. Afterwards, the list shows its current items. A button that was clicked with
 * the mouse has the focus, but this is no keyboard focus (`:focus-visible`). So it does not hold the rows after the
 * pointer has left.
 * @param list identifies the list. Another list, e.g. with another filter, replaces the rows.
 */
export function useHeldRows<Item extends { readonly id: string }>(
  items: readonly Item[],
  list: string,
): HeldRows<Item> {
  const element = useRef<HTMLElement | null>(null);
  const [isHeld, setHeld] = useState(false);
  const [shown, setShown] = useState(() => ({ list, items, rows: toRows(items) }));
  if (shown.items !== items || shown.list !== list) {
    const isSameList = shown.list === list;
    setShown({ list, items, rows: isHeld && isSameList ? holdRows(shown.rows, items) : toRows(items) });
  }

  const release = useCallback(() => {
    setHeld(false);
    setShown((current) => ({ ...current, rows: toRows(current.items) }));
  }, []);
  const releaseIfUnused = useCallback(() => {
    if (!isInUse(element.current)) release();
  }, [release]);

  // The browser reports no event if the focused element is removed, e.g. the button of a row.
  useEffect(() => {
    if (isHeld) releaseIfUnused();
  }, [isHeld, items, releaseIfUnused]);

  const ref = useCallback<RefCallback<HTMLElement>>(
    (newElement) => {
      if (!newElement) return;
      element.current = newElement;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const hold = () => {
        clearTimeout(timer);
        setHeld(true);
      };
      const leave = (event: Event) => {
        clearTimeout(timer);
        const isTouch = event instanceof PointerEvent && event.pointerType === 'touch';
        // While these events are handled, the element still has the focus or the pointer.
        timer = setTimeout(releaseIfUnused, isTouch ? AFTER_TOUCH_ms : 0);
      };
      const holding = ['pointerenter', 'focusin'] as const;
      const leaving = ['pointerleave', 'focusout'] as const;
      for (const type of holding) newElement.addEventListener(type, hold);
      for (const type of leaving) newElement.addEventListener(type, leave);
      return () => {
        element.current = null;
        clearTimeout(timer);
        for (const type of holding) newElement.removeEventListener(type, hold);
        for (const type of leaving) newElement.removeEventListener(type, leave);
      };
    },
    [releaseIfUnused],
  );
  return { rows: shown.rows, waiting: countWaiting(shown.rows, shown.items), release, ref };
}

const isInUse = (element: HTMLElement | null): boolean =>
  element !== null && (element.matches(':hover') || element.querySelector(':focus-visible') !== null);
