import { useRef, useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { AdCard, NewAdFields } from '@alpenglow/domain/contracts';
import { adKeys, ApiError, apiMessages, isApiError, ownAdsQuery, postAdMessages as text, useApi, useHost, useUser } from '@alpenglow/ui';
import { AdForm } from '../form/ad-form.tsx';
import { createDraftStore } from '../form/draft.ts';
import { EMPTY } from '../form/form-values.ts';
import { draftPhotos } from '../photos/draft-photos.ts';
import { usePhotoQueue } from '../photos/use-photo-queue.ts';
import { FormPage, FormSkeleton } from './form-page.tsx';
import { AccountRequired, AlreadyPosted, ProvidersOnly, Unverified } from './notices.tsx';

/** `/post-ad`. */
export function PostPage() {
  const { session } = useHost();
  const user = useUser();
  const api = useApi();
  const ownAds = useQuery({ ...ownAdsQuery(api, user?.id ?? ''), enabled: user?.isProvider === true });
  const ownAd = ownAds.data?.find(isVisible);

  if (session.state === 'unknown' || ownAds.isLoading) {
    return (
      <FormPage title={text.postTitle}>
        <FormSkeleton />
      </FormPage>
    );
  }
  if (user && !user.isProvider) {
    return (
      <FormPage title={text.postTitle}>
        <ProvidersOnly />
      </FormPage>
    );
  }
  if (ownAd) {
    return (
      <FormPage title={text.postTitle}>
        <AlreadyPosted adId={ownAd.id} />
      </FormPage>
    );
  }
  return (
    <FormPage title={text.postTitle} lead={text.lead}>
      {!user && <AccountRequired />}
      {user && !user.canPostAds && <Unverified />}
      <NewAdForm key={user?.id ?? 'guest'} viewer={user?.id ?? null} />
    </FormPage>
  );
}

/** One visible ad per owner, demo ads excluded (specification, section 5). */
function isVisible(ad: AdCard): boolean {
  return ad.isActive && !ad.isDemo;
}

function NewAdForm({ viewer }: { readonly viewer: string | null }) {
  const api = useApi();
  const host = useHost();
  const queryClient = useQueryClient();
  const [drafts] = useState(() => createDraftStore(sessionStorage, viewer));
  const [draft] = useState(() => drafts.load());
  const queue = usePhotoQueue(() => draftPhotos(draft?.photos ?? []));
  const clientId = useRef(newClientId());

  async function post(fields: NewAdFields, photos: readonly string[]): Promise<void> {
    if (viewer === null) throw new ApiError(text.pleaseLogIn, { status: 0, code: 'NO_TOKEN' });
    const known = queryClient.getQueryData<readonly AdCard[]>(adKeys.mine(viewer));
    if (known?.some(isVisible)) throw new ApiError(text.alreadyActive, { status: 0, code: 'ONE_ACTIVE_AD' });
    let answer;
    try {
      answer = await api.createAd({ ...fields, photos: [...photos] }, clientId.current);
    } catch (error) {
      // Answered and refused: what is sent next is another request. Without an answer it is the same one again.
      if (isApiError(error) && error.status > 0) clientId.current = newClientId();
      throw error;
    }
    drafts.clear();
    window.alert(text.posted);
    host.navigate(`/provider-ad/${answer.ad?.id ?? answer.data?.id ?? clientId.current}`);
    await queryClient.invalidateQueries({ queryKey: adKeys.all });
  }

  return (
    <AdForm mode="post" initial={draft?.values ?? EMPTY} queue={queue} onSubmit={post} onChange={(values, photos) => drafts.save({ values, photos })} failed={apiMessages.createAdFailed} />
  );
}

/** Time and randomness (specification, section 3). */
function newClientId(): string {
  return `${Date.now()}-${crypto.randomUUID().slice(0, 8)}`;
}
