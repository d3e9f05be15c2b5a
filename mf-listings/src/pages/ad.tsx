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
import MoreAds from '../ads/more-ads.tsx';
import { getCanonicalUrl } from '../ads/share-url.ts';
import { topicsOfAds } from '../ads/live-topics.ts';
import { useCountView } from '../ads/use-count-view.ts';
import { useInvalidateOnLiveMessage } from '../ads/use-invalidate-on-live-message.ts';
import { useStoredCard } from '../favorites/use-stored-card.ts';
import { isProcessing, getPollDelay_ms } from '../own-ad/media-state.ts';
import { findPlaces } from '../lists/places.ts';
import { cityPath } from '../paths.ts';
import { useText } from '../ads/text.ts';
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
  const error = isApiError(ad.error) ? ad.error : null;
  const isGone = error?.status === 404;
  useStoredCard(id, ad.data, isGone);
  // The view of an anonymous visitor does not show whether the user is the owner.
  useCountView(ad.isPlaceholderData ? undefined : ad.data);
  useCanonicalAddress(ad.data);

  // An ad that is deleted while it is displayed stays visible, with a note about its deletion.
  if (ad.data) return <AdDetail ad={ad.data} isGone={isGone} />;
  if (isGone) return <AdNotFound former={error.formerAd} />;
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

interface AdNotFoundProps {
  /** The last place and category of a removed ad. Null if there was no such ad. */
  readonly former: Readonly<Record<string, string>> | null;
}

/** Distinguishes a removed ad from a wrong address, and offers similar ads. */
function AdNotFound({ former }: AdNotFoundProps) {
  const t = useText();
  const params = useParams();
  const place = findPlaces(former?.['city'] ?? params['city'] ?? '', former?.['state'] ?? params['state'])[0];
  const title = t('api.adNotFound');
  return (
    <Page>
      <EmptyState
        title={<PageHeading documentTitle={title}>{title}</PageHeading>}
        link={
          place
            ? { to: cityPath(place.state.code, place.city), text: t('backToList', { city: place.city }) }
            : { to: '/listings', text: t('common.browse') }
        }
      >
        {former && (
          <p>
            <strong>{t('adRemovedTitle')}</strong>
          </p>
        )}
        <p>{t(former ? 'adRemovedAfter' : 'adWrongText')}</p>
      </EmptyState>
      <MoreAds
        state={place?.state.code ?? null}
        city={place?.city ?? null}
        category={former?.['category']}
        except={[]}
      />
    </Page>
  );
}
