import { useEffect, useRef, useState, type KeyboardEvent, type UIEvent } from 'react';

/** The strip of photos counts as stopped if it has not scrolled for this time. */
const STOP_DELAY_ms = 150;

/**
 * Returns the state of a horizontal strip of photos, and functions for its buttons and keys. The browser itself handles
 * swiping.
 */
export function usePhotoStrip(count: number, start = 0) {
  const ref = useRef<HTMLUListElement>(null);
  const [current, setCurrent] = useState(start);
  // The index of the photo that screen readers announce. It is set when the strip stops. Null means that the strip has
  // not moved yet.
  const [arrivedAt, setArrivedAt] = useState<number | null>(null);
  const target = useRef(start);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const show = (index: number, behavior: ScrollBehavior = 'auto') => {
    target.current = Math.min(count - 1, Math.max(0, index));
    ref.current?.scrollTo({ left: target.current * ref.current.clientWidth, behavior });
  };

  return {
    ref,
    current,
    arrivedAt,
    show,
    previous: () => show(target.current - 1),
    next: () => show(target.current + 1),
    onScroll({ currentTarget }: UIEvent<HTMLUListElement>) {
      const index = Math.round(currentTarget.scrollLeft / Math.max(1, currentTarget.clientWidth));
      setCurrent(index);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        target.current = index;
        setArrivedAt(index);
      }, STOP_DELAY_ms);
    },
    onKeyDown(event: KeyboardEvent) {
      // The strip may still be moving, so a key press is relative to the target of the previous key press.
      const newTarget = { ArrowLeft: target.current - 1, ArrowRight: target.current + 1, Home: 0, End: count - 1 }[
        event.key
      ];
      if (newTarget === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      show(newTarget);
    },
  };
}
