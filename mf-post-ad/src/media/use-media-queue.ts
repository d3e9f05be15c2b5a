import { useEffect, useState } from 'react';
import { ApiError, useApi, useHost } from '@alpenglow/ui';
import { t } from '../text.ts';
import { createMediaQueue, type Media, type MediaQueue } from './media-queue.ts';
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

/**
 * Creates the queue that uploads the photos and the video of a form for the current user. The queue stops when the form
 * is closed.
 */
export function useMediaQueue(initial: () => Media): MediaQueue {
  const api = useApi();
  const isSignedIn = useHost().session.state === 'authenticated';
  const [queue] = useState(() =>
    createMediaQueue(
      {
        prepare: (file, signal) => preparePhoto(file, signal),
        preview: (file) => URL.createObjectURL(file),
        dropPreview: (url) => URL.revokeObjectURL(url),
        wait,
      },
      initial(),
    ),
  );
  useEffect(
    () => queue.sendBy(isSignedIn ? { photo: api.uploadPhotos, video: api.uploadVideo } : null),
    [queue, api, isSignedIn],
  );
  useEffect(() => () => queue.stop(), [queue]);
  return queue;
}
