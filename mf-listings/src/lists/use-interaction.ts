import { useCallback, useRef, type RefCallback } from 'react';

/** Time after which a pointer that does not move counts as idle. */
const IDLE_AFTER_ms = 4_000;

/**
 * Returns `isInteracting`, which checks whether the visitor is using the element with the pointer or the keyboard. The
 * content must not move during that time.
 */
export function useInteraction(): { readonly ref: RefCallback<HTMLElement>; readonly isInteracting: () => boolean } {
  const element = useRef<HTMLElement | null>(null);
  const movedAt_ms = useRef(Number.NEGATIVE_INFINITY);
  const ref = useCallback((newElement: HTMLElement | null) => {
    if (!newElement) return;
    element.current = newElement;
    const onMove = () => {
      movedAt_ms.current = performance.now();
    };
    newElement.addEventListener('pointermove', onMove, { passive: true });
    newElement.addEventListener('pointerdown', onMove, { passive: true });
    return () => {
      element.current = null;
      newElement.removeEventListener('pointermove', onMove);
      newElement.removeEventListener('pointerdown', onMove);
    };
  }, []);
  const isInteracting = useCallback(() => {
    const isMoving = performance.now() - movedAt_ms.current < IDLE_AFTER_ms;
    return isMoving || element.current?.querySelector(':focus-visible') != null;
  }, []);
  return { ref, isInteracting };
}
