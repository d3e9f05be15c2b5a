import { useEffect, useState } from 'react';
import { ApiError, useApi, useHost } from '@alpenglow/ui';
import { t } from '../text.ts';
import { createMediaQueue, type Media, type MediaQueue } from './media-queue.ts';
import { prepared } from './prepare-photo.ts';

/** Waits, unless it is cancelled meanwhile. */
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

/** The photos and the video of a form, sent as whoever the visitor is by then. It lives as long as the form. */
export function useMediaQueue(initial: () => Media): MediaQueue {
  const api = useApi();
  const isSignedIn = useHost().session.state === 'authenticated';
  const [queue] = useState(() =>
    createMediaQueue(
      {
        prepare: (file, signal) => prepared(file, signal),
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
