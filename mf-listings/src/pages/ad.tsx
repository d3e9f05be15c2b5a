import { useEffect, useRef } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate, useParams } from 'react-router-dom';
import type { AdView } from '@alpenglow/domain/contracts';
import {
  adKeys,
  adQuery,
  EmptyState,
  isApiError,
  Page,
  PageHeading,
  QueryError,
  useApi,
  useHost,
  useUser,
} from '@alpenglow/ui';
import { getCanonicalUrl } from '../ads/share-url.ts';
import { topicsOfAds } from '../ads/live-topics.ts';
import { useCountView } from '../ads/use-count-view.ts';
import { useInvalidateOnLiveMessage } from '../ads/use-invalidate-on-live-message.ts';
import { useStoredCard } from '../favorites/use-stored-card.ts';
import { isProcessing, getPollDelay_ms } from '../own-ad/media-state.ts';
import { useText } from '../text.ts';
import { AdDetail } from './ad-detail.tsx';
import { AdPageSkeleton } from './ad-skeleton.tsx';

export { moveToPage } from '../ads/move-to-page.ts';

/** The page of one ad. Several paths lead to this page. */
export default function AdPage() {
  const { id = '' } = useParams();
  // When another ad is opened, the different `key` creates a new component, so that all state is reset.
  return <AdOf key={id} id={id} />;
}

function AdOf({ id }: { readonly id: string }) {
  const t = useText();
  const api = useApi();
  const { session } = useHost();
  const viewer = useUser()?.id ?? null;
  const queryClient = useQueryClient();
  const ad = useQuery({
    ...adQuery(api, id, viewer),
    enabled: session.state !== 'unknown',
    // The view of an anonymous visitor, which the first HTML contains, is shown until the view of the user is loaded.
    placeholderData: () => queryClient.getQueryData<AdView>(adKeys.detail(id, null)),
    refetchInterval: ({ state }) =>
      state.data && isProcessing(state.data) ? getPollDelay_ms(state.dataUpdateCount) : false,
  });
  useInvalidateOnLiveMessage({
    queryKey: adKeys.detail(id, viewer),
    topics: topicsOfAds([id]),
    concerns: (adId) => adId === id,
  });
  const isGone = isApiError(ad.error) && ad.error.status === 404;
  useStoredCard(id, ad.data, isGone);
  // The view of an anonymous visitor does not show whether the user is the owner.
  useCountView(ad.isPlaceholderData ? undefined : ad.data);
  useCanonicalAddress(ad.data);

  // An ad that is deleted while it is displayed stays visible, with a note about its deletion.
  if (ad.data) return <AdDetail ad={ad.data} isGone={isGone} />;
  if (isGone) return <AdNotFound />;
  if (ad.isError) {
    return (
      <Page narrow>
        <PageHeading documentTitle={t('adFailedTitle')}>{t('adFailedTitle')}</PageHeading>
        <QueryError query={ad} text={t('api.adsError')} />
      </Page>
    );
  }
  return <AdPageSkeleton />;
}

/**
 * Corrects an outdated place or title in the URL once, after the ad has loaded. A later change of the title does not
 * change the URL again.
 */
function useCanonicalAddress(ad: AdView | undefined): void {
  const location = useLocation();
  const navigate = useNavigate();
  const isDone = useRef(false);
  useEffect(() => {
    if (!ad || isDone.current) return;
    isDone.current = true;
    const to = getCanonicalUrl(ad, location);
    if (to !== null) void navigate(to, { replace: true, state: location.state as unknown, preventScrollReset: true });
  }, [ad, location, navigate]);
}

function AdNotFound() {
  const t = useText();
  return (
    <Page>
      <EmptyState
        title={<PageHeading documentTitle={t('api.adNotFound')}>{t('api.adNotFound')}</PageHeading>}
        link={{ to: '/listings', text: t('common.browse') }}
      >
        <p>{t('adNotFoundText')}</p>
      </EmptyState>
    </Page>
  );
}
