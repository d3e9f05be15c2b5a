import { useEffect, useEffectEvent, useRef } from 'react';
import type { AdView } from '@alpenglow/domain/contracts';
import { useApi, useHost, useIsHydrated } from '@alpenglow/ui';

/**
 * Counts a view when the visitor sees the page of an ad. Counts at most once while the component is mounted,
 * and not for the owner. Errors are ignored, because the visitor cannot do anything about them.
 */
export function useCountView(ad: AdView | undefined): void {
  const api = useApi();
  const { session, onPageShown } = useHost();
  const isCounted = useRef(false);
  // The first render of server-rendered HTML has no session, and the session may not be verified yet. Until then, the
  // visitor may be the owner.
  const isSessionKnown = useIsHydrated() && session.state !== 'unknown';
  const adId = ad !== undefined && !ad.isOwner && isSessionKnown ? ad.id : null;
  const count = useEffectEvent((id: string) => {
    if (isCounted.current) return;
    isCounted.current = true;
    void api
      .request<'countView'>({ method: 'POST', path: `/ads/${encodeURIComponent(id)}/views` })
      .catch(() => undefined);
  });
  useEffect(() => {
    if (adId === null) return;
    if (onPageShown) return onPageShown(() => count(adId));
    count(adId);
  }, [adId, onPageShown]);
}
