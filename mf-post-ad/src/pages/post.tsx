import { useEffect, useRef, useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { AdCard, NewAdFields } from '@alpenglow/domain/contracts';
import {
  adKeys,
  ApiError,
  browserStorage,
  createAd,
  isApiError,
  isOutcomeUnknown,
  LinkButton,
  useApi,
  useHost,
  userAds,
} from '@alpenglow/ui';
import { AdForm } from '../form/ad-form.tsx';
import { createDraftStore, type Draft, type DraftContent } from '../form/draft.ts';
import { EMPTY_VALUES, hasSameValues } from '../form/form-values.ts';
import type { Continuation } from '../media/background-uploads.ts';
import { photoFromUrl, toPhotoItems, videoFromUrl, toVideoItem } from '../media/media-item.ts';
import type { MediaUrls } from '../media/media-queue.ts';
import { clearPendingFiles } from '../media/pending-files.ts';
import { useMediaQueue } from '../media/use-media-queue.ts';
import { useText } from '../text.ts';
import { FormPage, FormSkeleton } from './form-page.tsx';
import { AccountRequired, AlreadyPosted, DiscardDraft, DraftNote, ProvidersOnly, EmailUnverified } from './notices.tsx';
import { useMessageDialog } from './use-message-dialog.tsx';
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
    queryFn: ({ signal }) => userAds(api, signal),
    enabled: isSignedIn && user?.isProvider === true,
    staleTime: Infinity,
    gcTime: 0,
  });
  const ownAd = ownAds.data?.find(isCounted);

  // While a session is verified again, `user` is the last user, so that the form stays visible.
  const isLoading = (!isSignedIn && !isSignedOut && user === null) || ownAds.isLoading;
  const otherAd = ownAd && <AlreadyPosted ad={ownAd} />;
  const replacement = isLoading ? <FormSkeleton /> : user && !user.isProvider ? <ProvidersOnly /> : otherAd;
  if (replacement) return <FormPage title={t('postTitle')}>{replacement}</FormPage>;
  return (
    <FormPage title={t('postTitle')} lead={t('lead')}>
      {isSignedOut && <AccountRequired hasEnded={user !== null} />}
      {isSignedIn && user && !user.canPostAds && <EmailUnverified />}
      <NewAd key={user?.id ?? 'guest'} viewer={user?.id ?? null} age={user?.age ?? null} />
    </FormPage>
  );
}

/**
 * Checks whether an ad counts towards the limit of one ad per owner. A hidden ad counts, as on the server. Demo ads do
 * not count.
 */
function isCounted(ad: AdCard): boolean {
  return !ad.isDemo;
}

function NewAd({ viewer, age }: { readonly viewer: string | null; readonly age: number | null }) {
  const t = useText();
  const [drafts] = useState(() => createDraftStore({ storage: browserStorage(), viewer, adId: null }));
  const [draft, setDraft] = useState(() => drafts.load());
  const [formKey, setFormKey] = useState(0);

  const { inform, dialog } = useMessageDialog();
  const isDiscarded = useRef(false);
  useEffect(() => {
    isDiscarded.current = false;
  }, [formKey]);

  function startOver(): void {
    isDiscarded.current = true;
    drafts.clear();
    clearPendingFiles(drafts.key);
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
        age={age}
        draft={draft}
        onPosted={async () => {
          // A reload while the message is open must not restore the draft of an ad that is already posted.
          drafts.clear();
          clearPendingFiles(drafts.key);
          await inform(t('posted'));
          startOver();
        }}
        onChange={(content) => {
          if (!isEmpty(content)) return drafts.save(content);
          drafts.clear();
          return true;
        }}
        continuation={{
          form: `new ${viewer ?? ''}`,
          path: '/post-ad',
          draftKey: drafts.key,
          restoresFiles: true,
          mayContinue: () => !isDiscarded.current,
          onUploaded: ({ photos, video = null }) =>
            drafts.save({ values: drafts.load()?.values ?? EMPTY_VALUES, photos, video }),
        }}
      />
      {dialog}
    </>
  );
}

const isEmpty = ({ values, photos, video }: DraftContent) =>
  photos.length === 0 && video === null && hasSameValues(values, EMPTY_VALUES);

interface NewAdFormProps {
  readonly viewer: string | null;
  readonly age: number | null;
  readonly draft: Draft | null;
  readonly onChange: (content: DraftContent) => boolean;
  /** Informs the user that the ad is posted. Resolves when the user has closed the message. */
  readonly onPosted: () => Promise<void>;
  readonly continuation: Continuation;
}

function NewAdForm({ viewer, age, draft, onChange, onPosted, continuation }: NewAdFormProps) {
  const t = useText();
  const api = useApi();
  const host = useHost();
  const queryClient = useQueryClient();
  const queue = useMediaQueue(() => mediaOf(draft), continuation);
  const clientId = useRef(newClientId());
  const [otherAd, setOtherAd] = useState<string | null>(null);

  /**
   * Throws if the user already has an ad, for example one that was posted in another tab. If the user's ads cannot be
   * loaded, this check is skipped, because the server also checks the limit.
   */
  async function rejectSecondAd(): Promise<void> {
    const ownAdsNow = await userAds(api).catch((error: unknown) => {
      if (isApiError(error) && error.status === 401) throw loginError();
      return [];
    });
    const other = ownAdsNow.find(isCounted);
    setOtherAd(other?.id ?? null);
    if (other) throw new ApiError(t('alreadyActive'), { status: 0, code: 'ONE_ACTIVE_AD' });
  }

  const loginError = () => new ApiError(t('pleaseLogIn'), { status: 0, code: 'NO_TOKEN' });

  async function post(fields: NewAdFields, { photos, video = null, isComplete }: MediaUrls): Promise<void> {
    if (viewer === null || host.session.state !== 'authenticated') throw loginError();
    await rejectSecondAd();
    let response;
    try {
      response = await createAd(api, { ...fields, photos: [...photos], video }, clientId.current);
    } catch (error) {
      // The id stays the same if the server may already have created the ad.
      if (!isOutcomeUnknown(error)) clientId.current = newClientId();
      throw error;
    }
    const id = response.ad?.id ?? response.data?.id ?? clientId.current;
    if (!isComplete) host.notify({ text: t('mediaLeftOut'), tone: 'danger' });
    await onPosted();
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
      age={age}
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
