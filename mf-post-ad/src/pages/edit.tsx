import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'react-router-dom';
import { ErrorBox, getAdToEdit, LinkButton, messageOf, useApi } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { EditAd } from './edit-ad.tsx';
import { FormPage, FormSkeleton } from './form-page.tsx';
import { AccountRequired } from './notices.tsx';
import { useViewer } from './use-viewer.ts';

/** The page `/edit/{adId}`. `/post-ad` shows the same page if the navigation state contains the id of an ad. */
export function EditPage({ adId }: { readonly adId: string }) {
  const t = useText();
  const api = useApi();
  const { user, isSignedIn, isSignedOut } = useViewer();
  const [loadCount, setLoadCount] = useState(1);
  // The ad is loaded once for each edit, under a separate query key. A refetch would change the form while the user
  // writes.
  const loaded = useQuery({
    queryKey: ['ad-to-edit', adId, user?.id, loadCount],
    queryFn: ({ signal }) => getAdToEdit(api, adId, signal),
    enabled: isSignedIn,
    staleTime: Infinity,
    gcTime: 0,
  });

  return (
    <FormPage title={t('editTitle')}>
      {isSignedOut && <AccountRequired hasEnded={user !== null} />}
      {loaded.isError ? (
        <ErrorBox
          message={messageOf(loaded.error, t('api.adsError'))}
          onRetry={() => void loaded.refetch()}
          actions={
            <LinkButton to="/provider-profile" size="small">
              {t('goToProfile')}
            </LinkButton>
          }
        />
      ) : !loaded.data ? (
        !isSignedOut && <FormSkeleton />
      ) : loaded.data.ad.isOwner ? (
        <EditAd
          key={`${user?.id}-${loadCount}`}
          loaded={loaded.data}
          viewer={user?.id ?? null}
          onReload={() => setLoadCount(loadCount + 1)}
        />
      ) : (
        <ErrorBox message={t('onlyOwner')} actions={<LinkButton to="/">{t('common.home')}</LinkButton>} />
      )}
    </FormPage>
  );
}

interface EditState {
  readonly edit: true;
  readonly ad: { readonly id: string };
}

/** Returns the id of the ad to edit from the navigation state. Returns null if there is none. */
export function useAdToEdit(): string | null {
  const state = useLocation().state as Partial<EditState> | null;
  return state?.edit === true && typeof state.ad?.id === 'string' ? state.ad.id : null;
}
