import { useEffect, useEffectEvent, useState } from 'react';
import { ApiError, useApi, useHost } from '@alpenglow/ui';
import { t } from '../text.ts';
import { continueUploads, takeContinued, type Continuation } from './background-uploads.ts';
import { createMediaQueue, type Media, type MediaQueue } from './media-queue.ts';
import { createUploads } from './resumable-upload.ts';
import { openPendingFiles } from './pending-files.ts';
import { preparePhoto } from './prepare-photo.ts';

/**
 * Resolves after `time_ms` milliseconds, or earlier when the browser is online again. Rejects immediately when `signal`
 * aborts.
 */
function wait(time_ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      removeEventListener('online', finish);
    };
    const cancel = () => {
      end();
      reject(new ApiError(t('api.cancelled'), { status: 0, code: 'CANCELLED' }));
    };
    const finish = () => {
      end();
      resolve();
    };
    const timer = setTimeout(finish, time_ms);
    signal.addEventListener('abort', cancel);
    addEventListener('online', finish);
  });
}

/**
 * Creates the queue that uploads the photos and the video of a form for the current user. Uploads continue when the
 * user opens another page of the site.
 */
export function useMediaQueue(initial: () => Media, continuation: Continuation): MediaQueue {
  const api = useApi();
  const host = useHost();
  const { session, hasStoredSession } = host;
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
  const token = session.state === 'authenticated' ? session.token : null;
  useEffect(() => queue.sendBy(token === null ? null : createUploads(api, token)), [queue, api, token]);
  const { restoresFiles } = continuation;
  // A visitor without a session cannot upload files. The effect above has set the functions for the upload.
  useEffect(() => {
    if (isSignedIn && restoresFiles) void queue.restore();
  }, [queue, isSignedIn, restoresFiles]);
  const onLeave = useEffectEvent(() => {
    if (queue.isUploading() && continuation.mayContinue())
      continueUploads(queue, continuation, { isSignedIn: () => hasStoredSession?.() ?? true, host });
    else queue.stop();
  });
  useEffect(() => () => onLeave(), [queue]);
  return queue;
}
