import { useEffect, useState } from 'react';
import { useApi, useHost } from '@alpenglow/ui';
import { prepared } from './photo-file.ts';
import { createPhotoQueue, type PhotoItem, type PhotoQueue } from './photo-queue.ts';

const wait = (time_ms: number) => new Promise<void>((resolve) => setTimeout(resolve, time_ms));

/** The photo queue of a form, sending as whoever the visitor is by then. It lives as long as the form. */
export function usePhotoQueue(initial: () => readonly PhotoItem[]): PhotoQueue {
  const api = useApi();
  const isSignedIn = useHost().session.state === 'authenticated';
  const [queue] = useState(() =>
    createPhotoQueue(
      {
        prepare: prepared,
        preview: (file) => URL.createObjectURL(file),
        dropPreview: (url) => URL.revokeObjectURL(url),
        wait,
      },
      initial(),
    ),
  );
  useEffect(() => queue.sendBy(isSignedIn ? api.uploadPhotos : null), [queue, api, isSignedIn]);
  useEffect(() => () => queue.stop(), [queue]);
  return queue;
}
