import { useRef, useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { AdCard, NewAdFields } from '@alpenglow/domain/contracts';
import { adKeys, ApiError, browserStorage, isApiError, LinkButton, useApi, useHost } from '@alpenglow/ui';
import { AdForm } from '../form/ad-form.tsx';
import { createDraftStore, type Draft, type DraftContent } from '../form/draft.ts';
import { EMPTY_VALUES, hasSameValues } from '../form/form-values.ts';
import { photoFromUrl, toPhotoItems, videoFromUrl, toVideoItem } from '../media/media-item.ts';
import type { MediaUrls } from '../media/media-queue.ts';
import { useMediaQueue } from '../media/use-media-queue.ts';
import { useText } from '../text.ts';
import { FormPage, FormSkeleton } from './form-page.tsx';
import { AccountRequired, AlreadyPosted, DiscardDraft, DraftNote, ProvidersOnly, EmailUnverified } from './notices.tsx';
import { useViewer } from './use-viewer.ts';

/** The page `/post-ad` with the form for a new ad. */
export function PostPage() {
  const t = useText();
  const { user, isSignedIn, isSignedOut } = useViewer();
  const api = useApi();
  // The user's ads are loaded once when the form is opened, under a separate query key. A refetch could hide the form
  // while the user writes. The ads are checked again when the form is sent.
  const ownAds = useQuery({
    queryKey: ['own-ads-before-posting', user?.id],
    queryFn: ({ signal }) => api.userAds(signal),
    enabled: isSignedIn && user?.isProvider === true,
    staleTime: Infinity,
    gcTime: 0,
  });
  const ownAd = ownAds.data?.find(isVisible);

  // While a session is verified again, `user` is the last user, so that the form stays visible.
  const isLoading = (!isSignedIn && !isSignedOut && user === null) || ownAds.isLoading;
  const otherAd = ownAd && <AlreadyPosted adId={ownAd.id} />;
  const replacement = isLoading ? <FormSkeleton /> : user && !user.isProvider ? <ProvidersOnly /> : otherAd;
  if (replacement) return <FormPage title={t('postTitle')}>{replacement}</FormPage>;
  return (
    <FormPage title={t('postTitle')} lead={t('lead')}>
      {isSignedOut && <AccountRequired hasEnded={user !== null} />}
      {isSignedIn && user && !user.canPostAds && <EmailUnverified />}
      <NewAd key={user?.id ?? 'guest'} viewer={user?.id ?? null} />
    </FormPage>
  );
}

/** Checks whether an ad counts towards the limit of one visible ad per owner. Demo ads do not count. */
function isVisible(ad: AdCard): boolean {
  return ad.isActive && !ad.isDemo;
}

function NewAd({ viewer }: { readonly viewer: string | null }) {
  const t = useText();
  const [drafts] = useState(() => createDraftStore({ storage: browserStorage(), viewer, adId: null }));
  const [draft, setDraft] = useState(() => drafts.load());
  const [formKey, setFormKey] = useState(0);

  function startOver(): void {
    drafts.clear();
    setDraft(null);
    setFormKey((number) => number + 1);
  }
  return (
    <>
      {draft && (
        <DraftNote
          title={t('draftRestored')}
          savedAt_ms={draft.savedAt_ms}
          actions={<DiscardDraft onDiscard={startOver} />}
        >
          {t(draft.hasLostMedia ? 'draftMediaLost' : 'draftKept')}
        </DraftNote>
      )}
      <NewAdForm
        key={formKey}
        viewer={viewer}
        draft={draft}
        onPosted={startOver}
        onChange={(content) => {
          if (!isEmpty(content)) return drafts.save(content);
          drafts.clear();
          return true;
        }}
      />
    </>
  );
}

const isEmpty = ({ values, photos, video }: DraftContent) =>
  photos.length === 0 && video === null && hasSameValues(values, EMPTY_VALUES);

interface NewAdFormProps {
  readonly viewer: string | null;
  readonly draft: Draft | null;
  readonly onChange: (content: DraftContent) => boolean;
  readonly onPosted: () => void;
}

function NewAdForm({ viewer, draft, onChange, onPosted }: NewAdFormProps) {
  const t = useText();
  const api = useApi();
  const host = useHost();
  const queryClient = useQueryClient();
  const queue = useMediaQueue(() => mediaOf(draft));
  const clientId = useRef(newClientId());
  const [otherAd, setOtherAd] = useState<string | null>(null);

  /**
   * Throws if the user already has an ad, for example one that was posted in another tab. If the user's ads cannot be
   * loaded, this check is skipped, because the server also checks the limit.
   */
  async function rejectSecondAd(): Promise<void> {
    const ownAdsNow = await api.userAds().catch((error: unknown) => {
      if (isApiError(error) && error.status === 401) throw loginError();
      return [];
    });
    const other = ownAdsNow.find(isVisible);
    setOtherAd(other?.id ?? null);
    if (other) throw new ApiError(t('alreadyActive'), { status: 0, code: 'ONE_ACTIVE_AD' });
  }

  const loginError = () => new ApiError(t('pleaseLogIn'), { status: 0, code: 'NO_TOKEN' });

  async function post(fields: NewAdFields, { photos, video = null, isComplete }: MediaUrls): Promise<void> {
    if (viewer === null || host.session.state !== 'authenticated') throw loginError();
    await rejectSecondAd();
    let response;
    try {
      response = await api.createAd({ ...fields, photos: [...photos], video }, clientId.current);
    } catch (error) {
      // After an error response, the next attempt has a new id. Without a response, the id stays the same, because the
      // server may already have created the ad.
      if (isApiError(error) && error.status > 0) clientId.current = newClientId();
      throw error;
    }
    const id = response.ad?.id ?? response.data?.id ?? clientId.current;
    if (!isComplete) host.notify({ text: t('mediaLeftOut'), tone: 'danger' });
    window.alert(t('posted'));
    onPosted();
    host.navigate(`/provider-ad/${id}`);
    await queryClient.invalidateQueries({ queryKey: adKeys.all });
  }

  return (
    <AdForm
      mode="post"
      initial={draft?.values ?? EMPTY_VALUES}
      queue={queue}
      onSubmit={post}
      onChange={onChange}
      failed={t('api.createAdFailed')}
      waysOn={
        otherAd !== null && (
          <LinkButton to={`/ad/${otherAd}`} size="small">
            {t('viewMyAd')}
          </LinkButton>
        )
      }
    />
  );
}

/** Returns the uploaded photos and video of a draft. Returns no files if the server has already deleted them. */
function mediaOf(draft: Draft | null) {
  if (!draft || draft.hasLostMedia) return { photos: [], video: null };
  return {
    photos: toPhotoItems(
      draft.photos.flatMap((url) => photoFromUrl(url) ?? []),
      false,
    ),
    video: toVideoItem(draft.video === null ? null : videoFromUrl(draft.video), false),
  };
}

/** Returns a unique id that consists of the time and a random number. */
function newClientId(): string {
  // Does not use `randomUUID`, because browsers offer it on secure origins only.
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return `${Date.now()}-${random.toString(16).padStart(8, '0')}`;
}
