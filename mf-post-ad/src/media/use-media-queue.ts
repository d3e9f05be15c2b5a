import { useEffect, useEffectEvent, useState } from 'react';
import { createUploads, useApi, useHost, waitForConnection } from '@alpenglow/ui';
import { continueUploads, takeContinued, type Continuation } from './background-uploads.ts';
import { createMediaQueue, type MediaQueue } from './media-queue.ts';
import type { Media } from './media-state.ts';
import { openPendingFiles } from './pending-files.ts';
import { preparePhoto } from './prepare-photo.ts';

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
          wait: waitForConnection,
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
