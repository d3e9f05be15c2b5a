import { useEffect, useRef, useState } from 'react';
import { useApi, useHost } from '@alpenglow/ui';
import { prepared } from './photo-file.ts';
import { createPhotoQueue, type PhotoItem, type PhotoQueue } from './photo-queue.ts';

const wait = (time_ms: number) => new Promise<void>((resolve) => setTimeout(resolve, time_ms));

/** The photo queue of a form, sending as whoever the visitor is by then. It lives as long as the form. */
export function usePhotoQueue(initial: () => readonly PhotoItem[]): PhotoQueue {
  const api = useApi();
  const isSignedIn = useHost().session.state === 'authenticated';
  const visitor = useRef({ api, isSignedIn });
  useEffect(() => {
    visitor.current = { api, isSignedIn };
  }, [api, isSignedIn]);

  const [queue] = useState(() =>
    createPhotoQueue(
      {
        upload: (file, options) => visitor.current.api.uploadPhotos(file, options),
        isSignedIn: () => visitor.current.isSignedIn,
        prepare: prepared,
        preview: (file) => URL.createObjectURL(file),
        dropPreview: (url) => URL.revokeObjectURL(url),
        wait,
      },
      initial(),
    ),
  );
  useEffect(() => () => queue.stop(), [queue]);
  return queue;
}
