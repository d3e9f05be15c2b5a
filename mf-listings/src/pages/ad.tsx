import { useEffect, useRef } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useParams } from 'react-router-dom';
import type { AdView } from '@alpenglow/domain/contracts';
import {
  adKeys,
  adQuery,
  EmptyState,
  ErrorBox,
  isApiError,
  LinkButton,
  messageOf,
  Page,
  PageHeading,
  useApi,
  useHost,
  useUser,
} from '@alpenglow/ui';
import { canonicalAddress } from '../ads/share-address.ts';
import { useRefreshOnLive } from '../ads/use-refresh-on-live.ts';
import { useKeptCard } from '../favorites/use-kept-card.ts';
import { isBeingMade, nextLook_ms } from '../own-ad/media-state.ts';
import { useText } from '../text.ts';
import { AdDetail } from './ad-detail.tsx';
import { AdPageSkeleton } from './ad-skeleton.tsx';

/** One ad, by whatever address it was reached (specification, section 2, "Routes"). */
export default function AdPage() {
  const { id = '' } = useParams();
  // Another ad is another page: nothing of the one before is carried over.
  return <AdOf key={id} id={id} />;
}

function AdOf({ id }: { readonly id: string }) {
  const t = useText();
  const api = useApi();
  const { session } = useHost();
  const viewer = useUser()?.id ?? null;
  const ad = useQuery({
    ...adQuery(api, id, viewer),
    enabled: session.state !== 'unknown',
    refetchInterval: ({ state }) =>
      state.data && isBeingMade(state.data) ? nextLook_ms(state.dataUpdateCount) : false,
  });
  useRefreshOnLive(adKeys.detail(id, viewer), (adId) => adId === id);
  const isGone = isApiError(ad.error) && ad.error.status === 404;
  useKeptCard(id, ad.data, isGone);
  useCanonicalAddress(ad.data);

  // Gone while it is being read: it stays, and says so.
  if (ad.data) return <AdDetail ad={ad.data} isGone={isGone} />;
  if (isGone) return <AdNotFound />;
  if (ad.isError) {
    return (
      <Page narrow>
        <PageHeading documentTitle={t('adFailedTitle')}>{t('adFailedTitle')}</PageHeading>
        <ErrorBox message={messageOf(ad.error, t('api.adsError'))} onRetry={() => void ad.refetch()} />
      </Page>
    );
  }
  return <AdPageSkeleton />;
}

/** Puts the right place and title into an address that has others. Once: an ad that is renamed while it is read moves nobody. */
function useCanonicalAddress(ad: AdView | undefined): void {
  const location = useLocation();
  const navigate = useNavigate();
  const isDone = useRef(false);
  useEffect(() => {
    if (!ad || isDone.current) return;
    isDone.current = true;
    const to = canonicalAddress(ad, location);
    if (to !== null) void navigate(to, { replace: true, state: location.state as unknown, preventScrollReset: true });
  }, [ad, location, navigate]);
}

function AdNotFound() {
  const t = useText();
  return (
    <Page>
      <EmptyState
        title={<PageHeading documentTitle={t('api.adNotFound')}>{t('api.adNotFound')}</PageHeading>}
        actions={
          <LinkButton to="/listings" variant="primary">
            {t('common.browse')}
          </LinkButton>
        }
      >
        <p>{t('adNotFoundText')}</p>
      </EmptyState>
    </Page>
  );
}
