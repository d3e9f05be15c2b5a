import { useEffect, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { type AdChanges, type AdView, type NewAdFields } from '@alpenglow/domain/contracts';
import {
  adKeys,
  ApiError,
  browserStorage,
  Button,
  getAdToEdit,
  isApiError,
  updateAd,
  useApi,
  useHost,
  type AdToEdit,
} from '@alpenglow/ui';
import { AdForm } from '../form/ad-form.tsx';
import { createDraftStore, type Draft, type DraftContent } from '../form/draft.ts';
import { getChanges, hasSameValues, isSendableUrl, toFormValues } from '../form/form-values.ts';
import { hasBackgroundUploads, type Continuation } from '../media/background-uploads.ts';
import { photoFromUrl, toPhotoItems, videoFromUrl, toVideoItem } from '../media/media-item.ts';
import type { MediaUrls } from '../media/media-queue.ts';
import type { Media } from '../media/media-state.ts';
import { clearPendingFiles } from '../media/pending-files.ts';
import { useMediaQueue } from '../media/use-media-queue.ts';
import { useText } from '../text.ts';
import { DiscardDraft, DraftNote, EditsHiddenAd } from './notices.tsx';
import { useMessageDialog } from './use-message-dialog.tsx';

export interface EditAdProps {
  readonly loaded: AdToEdit;
  readonly viewer: string | null;
  /** Loads the ad again. The content of the form is lost. */
  readonly onReload: () => void;
}

/** The form for an existing ad. If an unsent draft is stored, the form offers to restore it. */
export function EditAd({ loaded, viewer, onReload }: EditAdProps) {
  const t = useText();
  const { ad, revision } = loaded;
  const { navigate } = useHost();
  const [drafts] = useState(() => createDraftStore({ storage: browserStorage(), viewer, adId: ad.id }));
  const [offer, setOffer] = useState(() => drafts.load());
  // If uploads have continued, the form takes over their files, so it also shows the texts of the same draft.
  const [restored, setRestored] = useState<Draft | null>(() =>
    hasBackgroundUploads(`edit ${ad.id}`) ? drafts.load() : null,
  );

  /** The values and files that the form contains now. */
  const shown = useRef<DraftContent>(restored ?? contentOf(ad));
  // The draft may be missing, because the browser can deny access to its storage.
  const isChanged = useRef(false);
  // A draft that is restored or discarded replaces the content of the form, with its files.
  const isReplaced = useRef(false);
  useEffect(() => {
    isReplaced.current = false;
  }, [restored]);

  function clear(): void {
    drafts.clear();
    clearPendingFiles(drafts.key);
  }
  function discard(): void {
    // A draft that was only offered is not in the form, so the form stays.
    isReplaced.current = restored !== null;
    if (restored !== null) isChanged.current = false;
    clear();
    setOffer(null);
    setRestored(null);
  }
  const restore = (draft: Draft) => {
    isReplaced.current = true;
    shown.current = draft;
    setRestored(draft);
    drafts.save(draft, revision);
  };
  const note = offer && {
    title: t(restored ? 'draftRestored' : 'draftFound'),
    text: t(offer.revision !== revision ? 'draftOfOlderAd' : offer.hasLostMedia ? 'draftMediaLost' : 'draftKept'),
  };

  return (
    <>
      {offer && note && (
        <DraftNote
          title={note.title}
          savedAt_ms={offer.savedAt_ms}
          actions={
            <>
              {!restored && (
                <Button size="small" variant="primary" onClick={() => restore(offer)}>
                  {t('restoreDraft')}
                </Button>
              )}
              <DiscardDraft onDiscard={discard} />
            </>
          }
        >
          {note.text}
        </DraftNote>
      )}
      <EditForm
        key={restored ? 'draft' : 'ad'}
        loaded={loaded}
        draft={restored}
        onChange={(content) => {
          shown.current = content;
          isChanged.current = !isAsLoaded(ad, content);
          if (isChanged.current) return drafts.save(content, revision);
          drafts.clear();
          return true;
        }}
        onUpdated={clear}
        onLeave={() => {
          isReplaced.current = true;
          clear();
        }}
        hasChanges={() => isChanged.current || drafts.load() !== null}
        continuation={{
          form: `edit ${ad.id}`,
          path: `/edit/${ad.id}`,
          draftKey: drafts.key,
          restoresFiles: offer === null || restored !== null,
          mayContinue: () => !isReplaced.current,
          onUploaded: ({ photos, video = ad.video }) =>
            drafts.save({ values: drafts.load()?.values ?? toFormValues(ad), photos, video }, revision),
        }}
        onReload={() => {
          isReplaced.current = true;
          clear();
          onReload();
        }}
        onPostAgain={() => {
          // The photos and the video were deleted with the ad.
          const content = { values: shown.current.values, photos: [], video: null };
          const newAd = createDraftStore({ storage: browserStorage(), viewer, adId: null });
          // Without a draft, the form of a new ad would be empty, so the texts stay here.
          if (!newAd.save(content)) return;
          isReplaced.current = true;
          clear();
          navigate('/post-ad');
        }}
      />
    </>
  );
}

const sameList = (first: readonly string[], second: readonly string[]) =>
  JSON.stringify(first) === JSON.stringify(second);

const contentOf = (ad: AdView): DraftContent => ({
  values: toFormValues(ad),
  photos: ad.media.map(({ url }) => url),
  video: ad.video,
});

function isAsLoaded(ad: AdView, { values, photos, video }: DraftContent): boolean {
  const loaded = contentOf(ad);
  return hasSameValues(values, loaded.values) && video === loaded.video && sameList(photos, loaded.photos);
}

/** Returns the photos and the video for the form. They come from the draft, or from the ad if there is no draft. */
function mediaOf(ad: AdView, draft: Draft | null): Media {
  const own = ad.media;
  if (!draft) return { photos: toPhotoItems(own, true), video: toVideoItem(ad.videoMedia, true) };
  const photos = draft.photos.flatMap((url) => {
    const existing = own.find((photo) => photo.url === url);
    const sent = existing || draft.hasLostMedia ? null : photoFromUrl(url);
    return existing ? toPhotoItems([existing], true) : sent ? toPhotoItems([sent], false) : [];
  });
  const isOwnVideo = draft.video === ad.video;
  const sentVideo = isOwnVideo || draft.video === null || draft.hasLostMedia ? null : videoFromUrl(draft.video);
  return { photos, video: isOwnVideo ? toVideoItem(ad.videoMedia, true) : toVideoItem(sentVideo, false) };
}

interface EditFormProps {
  readonly loaded: AdToEdit;
  readonly draft: Draft | null;
  readonly onChange: (content: DraftContent) => boolean;
  readonly onUpdated: () => void;
  /** Called when the user leaves the form without saving. */
  readonly onLeave: () => void;
  /** Returns true if leaving the form loses changes, or a draft that the form offers. */
  readonly hasChanges: () => boolean;
  readonly onReload: () => void;
  /** Opens the form for a new ad with the texts of this form. */
  readonly onPostAgain: () => void;
  readonly continuation: Continuation;
}

function EditForm(props: EditFormProps) {
  const { loaded, draft, onChange, onUpdated, onLeave, hasChanges, onReload, onPostAgain, continuation } = props;
  const t = useText();
  const api = useApi();
  const host = useHost();
  const queryClient = useQueryClient();
  const { ad } = loaded;
  const queue = useMediaQueue(() => mediaOf(ad, draft), continuation);
  const baseVersion = useRef(loaded);
  const { confirm, dialog } = useMessageDialog();
  const [newer, setNewer] = useState<AdToEdit | null>(null);
  const [isDeleted, setDeleted] = useState(false);

  async function save(fields: NewAdFields, media: MediaUrls): Promise<void> {
    try {
      await updateAd(api, ad.id, changesFrom(baseVersion.current.ad, fields, media), baseVersion.current.revision);
    } catch (error) {
      if (!isApiError(error) || error.code !== 'STALE') throw error;
      const current = await getAdToEdit(api, ad.id);
      if (!isAsLoaded(current.ad, contentOf(baseVersion.current.ad))) {
        setNewer(current);
        throw error;
      }
      // Only values that are not part of the form have changed, e.g. because the ad was moved to the top of its lists.
      // The update therefore overwrites no other change.
      baseVersion.current = current;
      await updateAd(api, ad.id, changesFrom(current.ad, fields, media), current.revision);
    }
  }

  async function update(fields: NewAdFields, media: MediaUrls): Promise<void> {
    setNewer(null);
    try {
      await save(fields, media);
    } catch (error) {
      if (!isApiError(error) || error.code !== 'AD_NOT_FOUND') throw error;
      setDeleted(true);
      throw new ApiError(t('adDeleted'), { status: 404, code: error.code });
    }
    onUpdated();
    if (!media.isComplete) host.notify({ text: t('mediaLeftOut'), tone: 'danger' });
    const goesToAd = await confirm(t('updated'));
    host.navigate(goesToAd ? `/provider-ad/${ad.id}` : '/provider-profile');
    await queryClient.invalidateQueries({ queryKey: adKeys.all });
  }

  async function cancel(): Promise<void> {
    if (hasChanges() && !(await confirm(t('discardChanges')))) return;
    onLeave();
    host.navigate('/provider-profile');
  }

  return (
    <>
      {ad.status === 'hidden' && <EditsHiddenAd />}
      <AdForm
        mode="edit"
        initial={draft?.values ?? toFormValues(ad)}
        queue={queue}
        onSubmit={update}
        onChange={onChange}
        failed={t('api.updateAdFailed')}
        age={ad.age}
        onCancel={() => void cancel()}
        waysOn={
          isDeleted ? (
            <Button size="small" onClick={onPostAgain}>
              {t('postAgain')}
            </Button>
          ) : (
            newer && (
              <>
                <Button size="small" onClick={onReload}>
                  {t('loadNewer')}
                </Button>
                <Button
                  type="submit"
                  size="small"
                  onClick={() => {
                    baseVersion.current = newer;
                  }}
                >
                  {t('saveMine')}
                </Button>
              </>
            )
          )
        }
      />
      {dialog}
    </>
  );
}

/**
 * Returns the fields that differ from the ad. Photos and videos that are not uploads are omitted, and so is a video
 * whose upload failed.
 */
function changesFrom(ad: AdView, fields: NewAdFields, { photos, video }: MediaUrls): AdChanges {
  const sendable = photos.filter(isSendableUrl);
  const arePhotosChanged = !sameList(sendable, contentOf(ad).photos);
  const isVideoChanged = video !== undefined && video !== ad.video && (video === null || isSendableUrl(video));
  return { ...getChanges(ad, fields), ...(arePhotosChanged && { photos: sendable }), ...(isVideoChanged && { video }) };
}
