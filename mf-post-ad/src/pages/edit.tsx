import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'react-router-dom';
import type { AdView, NewAdFields, PhotoView } from '@alpenglow/domain/contracts';
import { adKeys, apiMessages, commonMessages, ErrorBox, LinkButton, messageOf, postAdMessages as text, useApi, useHost, useUser } from '@alpenglow/ui';
import { AdForm } from '../form/ad-form.tsx';
import { changesOf, isSendableUrl, valuesOf } from '../form/form-values.ts';
import { itemsOf } from '../photos/photo-queue.ts';
import { usePhotoQueue } from '../photos/use-photo-queue.ts';
import { FormPage, FormSkeleton } from './form-page.tsx';
import { AccountRequired } from './notices.tsx';

/** `/edit/{adId}`, and `/post-ad` with an ad to edit in the navigation state. */
export function EditPage({ adId }: { readonly adId: string }) {
  const { session } = useHost();
  const api = useApi();
  const user = useUser();
  // Under a key of its own: loaded afresh for every edit, and then left alone, as a form must not change under the writer's hands.
  const ad = useQuery({
    queryKey: ['ad-to-edit', adId, user?.id],
    queryFn: ({ signal }) => api.getAd(adId, signal),
    enabled: user !== null,
    staleTime: Infinity,
    gcTime: 0,
  });

  return (
    <FormPage title={text.editTitle}>
      {session.state === 'anonymous' ? (
        <AccountRequired />
      ) : ad.isError ? (
        <ErrorBox
          message={messageOf(ad.error, apiMessages.adNotFound)}
          onRetry={() => void ad.refetch()}
          actions={
            <LinkButton to="/provider-profile" size="small">
              {text.goToProfile}
            </LinkButton>
          }
        />
      ) : !ad.data ? (
        <FormSkeleton />
      ) : ad.data.isOwner ? (
        <EditForm key={ad.data.id} ad={ad.data} />
      ) : (
        <ErrorBox message={text.onlyOwner} actions={<LinkButton to="/">{commonMessages.home}</LinkButton>} />
      )}
    </FormPage>
  );
}

/** Demo pictures stand in for photos; they are none of the owner's, so the form starts without them. */
const isOwnPhoto = ({ id }: PhotoView) => !id.startsWith('demo-');

function EditForm({ ad }: { readonly ad: AdView }) {
  const api = useApi();
  const host = useHost();
  const queryClient = useQueryClient();
  const ownPhotos = ad.media.filter(isOwnPhoto);
  const queue = usePhotoQueue(() => itemsOf(ownPhotos, true));

  async function update(fields: NewAdFields, photos: readonly string[]): Promise<void> {
    const sendable = photos.filter(isSendableUrl);
    const arePhotosChanged = JSON.stringify(sendable) !== JSON.stringify(ownPhotos.map(({ url }) => url));
    await api.updateAd(ad.id, { ...changesOf(ad, fields), ...(arePhotosChanged && { photos: sendable }) });
    const goesToAd = window.confirm(text.updated);
    host.navigate(goesToAd ? `/provider-ad/${ad.id}` : '/provider-profile');
    await queryClient.invalidateQueries({ queryKey: adKeys.all });
  }

  return <AdForm mode="edit" initial={valuesOf(ad)} queue={queue} onSubmit={update} failed={apiMessages.updateAdFailed} />;
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
