import { useEffect, useRef, useState, type KeyboardEvent, type UIEvent } from 'react';

/** A strip stands still when it has not been scrolled for so long. */
const STILL_ms = 150;

/** Photos side by side in one scrolling list: swiped by the browser itself, moved by buttons, arrow keys, Home and End. */
export function usePhotoStrip(count: number, start = 0) {
  const ref = useRef<HTMLUListElement>(null);
  const [current, setCurrent] = useState(start);
  // What is said aloud: only where the strip has come to stand, not each photo on the way, and nothing before it was moved.
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
      const now = Math.round(currentTarget.scrollLeft / Math.max(1, currentTarget.clientWidth));
      setCurrent(now);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        target.current = now;
        setArrivedAt(now);
      }, STILL_ms);
    },
    onKeyDown(event: KeyboardEvent) {
      // Several presses count from where the strip is going, not from where it is.
      const to = { ArrowLeft: target.current - 1, ArrowRight: target.current + 1, Home: 0, End: count - 1 }[event.key];
      if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      show(to);
    },
  };
}
