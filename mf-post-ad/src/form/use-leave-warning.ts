import { useEffect } from 'react';

/** While something would be lost, the browser asks, in its own words, before the page is closed or left for another site. */
export function useLeaveWarning(isSomethingLost: boolean): void {
  useEffect(() => {
    if (!isSomethingLost) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isSomethingLost]);
}
