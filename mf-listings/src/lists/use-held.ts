import { useCallback, useRef, type RefCallback } from 'react';

/** A pointer that has rested this long is not about to press anything. */
const AT_REST_ms = 4_000;

/** Whether somebody is about to press, or stands on, something in an element: then nothing in it may move. */
export function useHeld(): { readonly ref: RefCallback<HTMLElement>; readonly isHeld: () => boolean } {
  const element = useRef<HTMLElement | null>(null);
  const movedAt_ms = useRef(Number.NEGATIVE_INFINITY);
  const ref = useCallback((now: HTMLElement | null) => {
    if (!now) return;
    element.current = now;
    const onMove = () => {
      movedAt_ms.current = performance.now();
    };
    now.addEventListener('pointermove', onMove, { passive: true });
    now.addEventListener('pointerdown', onMove, { passive: true });
    return () => {
      element.current = null;
      now.removeEventListener('pointermove', onMove);
      now.removeEventListener('pointerdown', onMove);
    };
  }, []);
  const isHeld = useCallback(
    () =>
      performance.now() - movedAt_ms.current < AT_REST_ms || element.current?.querySelector(':focus-visible') != null,
    [],
  );
  return { ref, isHeld };
}
