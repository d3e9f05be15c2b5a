import { useRef, useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { AdCard, NewAdFields } from '@alpenglow/domain/contracts';
import { adKeys, ApiError, browserStorage, isApiError, LinkButton, useApi, useHost } from '@alpenglow/ui';
import { AdForm } from '../form/ad-form.tsx';
import { createDraftStore, type Draft, type DraftContent } from '../form/draft.ts';
import { EMPTY, isSameForm } from '../form/form-values.ts';
import { photoAt, photoItems, videoAt, videoItem } from '../media/media-item.ts';
import type { MediaUrls } from '../media/media-queue.ts';
import { useMediaQueue } from '../media/use-media-queue.ts';
import { useText } from '../text.ts';
import { FormPage, FormSkeleton } from './form-page.tsx';
import { AccountRequired, AlreadyPosted, DiscardDraft, DraftNote, ProvidersOnly, Unverified } from './notices.tsx';
import { useViewer } from './use-viewer.ts';

/** `/post-ad`. */
export function PostPage() {
  const t = useText();
  const { user, isSignedIn, isSignedOut } = useViewer();
  const api = useApi();
  // Under a key of its own, asked once when the form is opened: a form must not go from under the writer's hands. Sending it asks again.
  const ownAds = useQuery({
    queryKey: ['own-ads-before-posting', user?.id],
    queryFn: ({ signal }) => api.userAds(signal),
    enabled: isSignedIn && user?.isProvider === true,
    staleTime: Infinity,
    gcTime: 0,
  });
  const ownAd = ownAds.data?.find(isVisible);

  // A session that is being checked again, e.g. because another tab logged in, leaves the form where it is.
  if ((!isSignedIn && !isSignedOut && user === null) || ownAds.isLoading) {
    return (
      <FormPage title={t('postTitle')}>
        <FormSkeleton />
      </FormPage>
    );
  }
  if (user && !user.isProvider) {
    return (
      <FormPage title={t('postTitle')}>
        <ProvidersOnly />
      </FormPage>
    );
  }
  if (ownAd) {
    return (
      <FormPage title={t('postTitle')}>
        <AlreadyPosted adId={ownAd.id} />
      </FormPage>
    );
  }
  return (
    <FormPage title={t('postTitle')} lead={t('lead')}>
      {isSignedOut && <AccountRequired hasEnded={user !== null} />}
      {isSignedIn && user && !user.canPostAds && <Unverified />}
      <NewAd key={user?.id ?? 'guest'} viewer={user?.id ?? null} />
    </FormPage>
  );
}

/** One visible ad per owner, demo ads excluded (specification, section 5). */
function isVisible(ad: AdCard): boolean {
  return ad.isActive && !ad.isDemo;
}

/** The form, filled from the draft if there is one. */
function NewAd({ viewer }: { readonly viewer: string | null }) {
  const t = useText();
  const [drafts] = useState(() => createDraftStore({ storage: browserStorage(), viewer, adId: null }));
  const [draft, setDraft] = useState(() => drafts.load());
  const [form, setForm] = useState(0);

  function startOver(): void {
    drafts.clear();
    setDraft(null);
    setForm((number) => number + 1);
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
        key={form}
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
  photos.length === 0 && video === null && isSameForm(values, EMPTY);

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

  /** Asked again when the form is sent: another tab may have posted meanwhile. A check that fails is left to the server. */
  async function refuseSecondAd(): Promise<void> {
    const mine = await api.userAds().catch((error: unknown) => {
      if (isApiError(error) && error.status === 401) throw pleaseLogIn();
      return [];
    });
    const other = mine.find(isVisible);
    setOtherAd(other?.id ?? null);
    if (other) throw new ApiError(t('alreadyActive'), { status: 0, code: 'ONE_ACTIVE_AD' });
  }

  const pleaseLogIn = () => new ApiError(t('pleaseLogIn'), { status: 0, code: 'NO_TOKEN' });

  async function post(fields: NewAdFields, { photos, video = null, isWhole }: MediaUrls): Promise<void> {
    if (viewer === null || host.session.state !== 'authenticated') throw pleaseLogIn();
    await refuseSecondAd();
    let answer;
    try {
      answer = await api.createAd({ ...fields, photos: [...photos], video }, clientId.current);
    } catch (error) {
      // Answered and refused: what is sent next is another request. Without an answer it is the same one again.
      if (isApiError(error) && error.status > 0) clientId.current = newClientId();
      throw error;
    }
    const id = answer.ad?.id ?? answer.data?.id ?? clientId.current;
    if (!isWhole) host.notify({ text: t('mediaLeftOut'), tone: 'danger' });
    window.alert(t('posted'));
    onPosted();
    host.navigate(`/provider-ad/${id}`);
    await queryClient.invalidateQueries({ queryKey: adKeys.all });
  }

  return (
    <AdForm
      mode="post"
      initial={draft?.values ?? EMPTY}
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

/** Uploads of a draft, unless the server has removed them by now. */
function mediaOf(draft: Draft | null) {
  if (!draft || draft.hasLostMedia) return { photos: [], video: null };
  return {
    photos: photoItems(
      draft.photos.flatMap((url) => photoAt(url) ?? []),
      false,
    ),
    video: videoItem(draft.video === null ? null : videoAt(draft.video), false),
  };
}

/** Time and randomness (specification, section 3). */
function newClientId(): string {
  // Not `randomUUID`, which browsers have on secure origins alone.
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return `${Date.now()}-${random.toString(16).padStart(8, '0')}`;
}
