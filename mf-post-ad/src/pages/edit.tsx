import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'react-router-dom';
import { ErrorBox, LinkButton, messageOf, useApi } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { EditAd } from './edit-ad.tsx';
import { FormPage, FormSkeleton } from './form-page.tsx';
import { AccountRequired } from './notices.tsx';
import { useViewer } from './use-viewer.ts';

/** `/edit/{adId}`, and `/post-ad` with an ad to edit in the navigation state. */
export function EditPage({ adId }: { readonly adId: string }) {
  const t = useText();
  const api = useApi();
  const { user, isSignedIn, isSignedOut } = useViewer();
  const [round, setRound] = useState(1);
  // Under a key of its own: loaded afresh for every edit, and then left alone, as a form must not change under the writer's hands.
  const loaded = useQuery({
    queryKey: ['ad-to-edit', adId, user?.id, round],
    queryFn: ({ signal }) => api.getAdToEdit(adId, signal),
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
          key={`${user?.id}-${round}`}
          loaded={loaded.data}
          viewer={user?.id ?? null}
          onReload={() => setRound(round + 1)}
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

/** The ad to edit that came with the navigation, if one did (specification, section 2). */
export function useAdToEdit(): string | null {
  const state = useLocation().state as Partial<EditState> | null;
  return state?.edit === true && typeof state.ad?.id === 'string' ? state.ad.id : null;
}
