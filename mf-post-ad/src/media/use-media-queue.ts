import { useEffect, useEffectEvent, useState } from 'react';
import { ApiError, useApi, useHost, warnBeforeLeaving } from '@alpenglow/ui';
import { t } from '../text.ts';
import { createMediaQueue, type Media, type MediaQueue, type MediaUrls } from './media-queue.ts';
import { openPendingFiles } from './pending-files.ts';
import { preparePhoto } from './prepare-photo.ts';

/** Resolves after `time_ms` milliseconds. Rejects immediately when `signal` aborts. */
function wait(time_ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = () => {
      clearTimeout(timer);
      reject(new ApiError(t('api.cancelled'), { status: 0, code: 'CANCELLED' }));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', cancel);
      resolve();
    }, time_ms);
    signal.addEventListener('abort', cancel, { once: true });
  });
}

export interface Continuation {
  /** The name of the form. When the form with this name opens again, it continues with the same files. */
  readonly form: string;
  /** The storage key of the draft of the form, with which files are stored until their upload ends. */
  readonly draftKey: string;
  /** False if the form does not show the stored draft, so that it does not upload the files of this draft either. */
  readonly restoresFiles: boolean;
  /** Returns false if the user has discarded the content of the form. Its uploads then stop. */
  readonly mayContinue: () => boolean;
  /** Stores the URLs of files whose upload ended after the user had left the form. */
  readonly onUploaded: (urls: MediaUrls) => void;
}

/** The queues that still upload the files of forms that the user has left, by the name of the form. */
const continued = new Map<string, MediaQueue>();

/** Checks whether files of a form with this name are still being uploaded. */
export const hasContinued = (form: string): boolean => continued.has(form);

function takeContinued({ form, onUploaded }: Continuation): MediaQueue | null {
  const queue = continued.get(form);
  if (!queue) return null;
  continued.delete(form);
  onUploaded(queue.urls());
  return queue;
}

/** Continues the uploads of a queue in the background. Until they end, the browser warns before the page is left. */
function continueUploads(queue: MediaQueue, { form, onUploaded }: Continuation, isSignedIn: () => boolean): void {
  continued.set(form, queue);
  const allowLeaving = warnBeforeLeaving();
  void queue.idle().then(() => {
    allowLeaving();
    // The form is open again and uses the queue.
    if (continued.get(form) !== queue) return;
    continued.delete(form);
    // After a logout, nothing of the former user may be stored on the device.
    if (isSignedIn()) onUploaded(queue.urls());
    queue.stop();
  });
}

/**
 * Creates the queue that uploads the photos and the video of a form for the current user. Uploads continue when the
 * user opens another page of the site.
 */
export function useMediaQueue(initial: () => Media, continuation: Continuation): MediaQueue {
  const api = useApi();
  const { session, hasStoredSession } = useHost();
  const isSignedIn = session.state === 'authenticated';
  const [queue] = useState(
    () =>
      takeContinued(continuation) ??
      createMediaQueue(
        {
          prepare: (file, signal) => preparePhoto(file, signal),
          preview: (file) => URL.createObjectURL(file),
          dropPreview: (url) => URL.revokeObjectURL(url),
          wait,
          hasStoredSession,
          pending: openPendingFiles(continuation.draftKey),
        },
        initial(),
      ),
  );
  useEffect(
    () => queue.sendBy(isSignedIn ? { photo: api.uploadPhotos, video: api.uploadVideo } : null),
    [queue, api, isSignedIn],
  );
  const { restoresFiles } = continuation;
  // A visitor without a session cannot upload files. The effect above has set the functions for the upload.
  useEffect(() => {
    if (isSignedIn && restoresFiles) void queue.restore();
  }, [queue, isSignedIn, restoresFiles]);
  const onLeave = useEffectEvent(() => {
    if (queue.isUploading() && continuation.mayContinue())
      continueUploads(queue, continuation, () => hasStoredSession?.() ?? true);
    else queue.stop();
  });
  useEffect(() => () => onLeave(), [queue]);
  return queue;
}
