import { useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import {
  isHousePicture,
  type AdChanges,
  type AdView,
  type NewAdFields,
  type PhotoView,
} from '@alpenglow/domain/contracts';
import { adKeys, browserStorage, Button, isApiError, useApi, useHost, type AdToEdit } from '@alpenglow/ui';
import { AdForm } from '../form/ad-form.tsx';
import { createDraftStore, type Draft, type DraftContent } from '../form/draft.ts';
import { changesOf, isSameForm, isSendableUrl, valuesOf } from '../form/form-values.ts';
import { photoAt, photoItems, videoAt, videoItem } from '../media/media-item.ts';
import type { Media, MediaUrls } from '../media/media-queue.ts';
import { useMediaQueue } from '../media/use-media-queue.ts';
import { useText } from '../text.ts';
import { DiscardDraft, DraftNote } from './notices.tsx';

export interface EditAdProps {
  readonly loaded: AdToEdit;
  readonly viewer: string | null;
  /** Loads the ad anew, and leaves what stands in the form behind. */
  readonly onReload: () => void;
}

/** The form with an ad in it; what was written before and not sent is offered. */
export function EditAd({ loaded, viewer, onReload }: EditAdProps) {
  const t = useText();
  const { ad, revision } = loaded;
  const [drafts] = useState(() => createDraftStore({ storage: browserStorage(), viewer, adId: ad.id }));
  const [offer, setOffer] = useState(() => drafts.load());
  const [restored, setRestored] = useState<Draft | null>(null);

  function discard(): void {
    drafts.clear();
    setOffer(null);
    setRestored(null);
  }
  const restore = (draft: Draft) => {
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
          if (!isAsLoaded(ad, content)) return drafts.save(content, revision);
          drafts.clear();
          return true;
        }}
        onUpdated={() => drafts.clear()}
        onReload={() => {
          drafts.clear();
          onReload();
        }}
      />
    </>
  );
}

/** Demo pictures stand in for photos; they are none of the owner's, so the form starts without them. */
const isOwnPhoto = ({ id }: PhotoView) => !isHousePicture(id);
const photosOf = (ad: AdView) => ad.media.filter(isOwnPhoto);
const sameList = (some: readonly string[], others: readonly string[]) =>
  JSON.stringify(some) === JSON.stringify(others);

function isAsLoaded(ad: AdView, { values, photos, video }: DraftContent): boolean {
  return (
    isSameForm(values, valuesOf(ad)) &&
    video === ad.video &&
    sameList(
      photos,
      photosOf(ad).map(({ url }) => url),
    )
  );
}

/** The ad's own photos and video; or those of a draft, of which the ad still has some. */
function mediaOf(ad: AdView, draft: Draft | null): Media {
  const own = photosOf(ad);
  if (!draft) return { photos: photoItems(own, true), video: videoItem(ad.videoMedia, true) };
  const photos = draft.photos.flatMap((url) => {
    const existing = own.find((photo) => photo.url === url);
    const sent = existing || draft.hasLostMedia ? null : photoAt(url);
    return existing ? photoItems([existing], true) : sent ? photoItems([sent], false) : [];
  });
  const isOwnVideo = draft.video === ad.video;
  const sentVideo = isOwnVideo || draft.video === null || draft.hasLostMedia ? null : videoAt(draft.video);
  return { photos, video: isOwnVideo ? videoItem(ad.videoMedia, true) : videoItem(sentVideo, false) };
}

interface EditFormProps {
  readonly loaded: AdToEdit;
  readonly draft: Draft | null;
  readonly onChange: (content: DraftContent) => boolean;
  readonly onUpdated: () => void;
  readonly onReload: () => void;
}

function EditForm({ loaded, draft, onChange, onUpdated, onReload }: EditFormProps) {
  const t = useText();
  const api = useApi();
  const host = useHost();
  const queryClient = useQueryClient();
  const { ad } = loaded;
  const queue = useMediaQueue(() => mediaOf(ad, draft));
  /** What the changes are changes of. */
  const base = useRef(loaded);
  const [newer, setNewer] = useState<AdToEdit | null>(null);

  async function update(fields: NewAdFields, media: MediaUrls): Promise<void> {
    setNewer(null);
    try {
      await api.updateAd(ad.id, changesFrom(base.current.ad, fields, media), base.current.revision);
    } catch (error) {
      if (!isApiError(error) || error.code !== 'STALE') throw error;
      const now = await api.getAdToEdit(ad.id);
      if (
        !isAsLoaded(now.ad, {
          values: valuesOf(base.current.ad),
          photos: photosOf(base.current.ad).map(({ url }) => url),
          video: base.current.ad.video,
        })
      ) {
        setNewer(now);
        throw error;
      }
      // Something changed that is not in the form, e.g. the ad was bumped: nothing of it is written over.
      base.current = now;
      await api.updateAd(ad.id, changesFrom(now.ad, fields, media), now.revision);
    }
    onUpdated();
    if (!media.isWhole) host.notify({ text: t('mediaLeftOut'), tone: 'danger' });
    const goesToAd = window.confirm(t('updated'));
    host.navigate(goesToAd ? `/provider-ad/${ad.id}` : '/provider-profile');
    await queryClient.invalidateQueries({ queryKey: adKeys.all });
  }

  return (
    <AdForm
      mode="edit"
      initial={draft?.values ?? valuesOf(ad)}
      queue={queue}
      onSubmit={update}
      onChange={onChange}
      failed={t('api.updateAdFailed')}
      waysOn={
        newer && (
          <>
            <Button size="small" onClick={onReload}>
              {t('loadNewer')}
            </Button>
            <Button
              type="submit"
              size="small"
              onClick={() => {
                base.current = newer;
              }}
            >
              {t('saveMine')}
            </Button>
          </>
        )
      }
    />
  );
}

/** What differs from the ad. Only addresses of uploads are sent; a video that could not be sent is left out (specification, section 5). */
function changesFrom(ad: AdView, fields: NewAdFields, { photos, video }: MediaUrls): AdChanges {
  const sendable = photos.filter(isSendableUrl);
  const arePhotosChanged = !sameList(
    sendable,
    photosOf(ad).map(({ url }) => url),
  );
  const isVideoChanged = video !== undefined && video !== ad.video && (video === null || isSendableUrl(video));
  return { ...changesOf(ad, fields), ...(arePhotosChanged && { photos: sendable }), ...(isVideoChanged && { video }) };
}
