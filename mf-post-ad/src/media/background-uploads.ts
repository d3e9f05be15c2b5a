import { warnBeforeLeaving, type Host } from '@alpenglow/ui';
import { t } from '../text.ts';
import type { MediaQueue, MediaUrls } from './media-queue.ts';

/**
 * The uploads of forms that the user has left. This module stays loaded when the user opens a page of another remote,
 * so its queues continue there.
 */

export interface Continuation {
  /** The name of the form. When the form with this name opens again, it continues with the same files. */
  readonly form: string;
  /** The path of the page with the form. */
  readonly path: string;
  /** The storage key of the draft of the form, with which files are stored until their upload ends. */
  readonly draftKey: string;
  /** False if the form does not show the stored draft, so that it does not upload the files of this draft either. */
  readonly restoresFiles: boolean;
  /** Returns false if the user has discarded the content of the form. Its uploads then stop. */
  readonly mayContinue: () => boolean;
  /** Stores the URLs of files whose upload ended after the user had left the form. */
  readonly onUploaded: (urls: MediaUrls) => void;
}

interface Environment {
  /** Returns false after a logout. */
  readonly isSignedIn: () => boolean;
  readonly host: Pick<Host, 'showUploads' | 'notify' | 'navigate'>;
}

/** The queues that still upload the files of forms that the user has left, by the name of the form. */
const continued = new Map<string, { readonly queue: MediaQueue; readonly onTaken: () => void }>();

/** Checks whether files of a form with this name are still being uploaded. */
export const hasBackgroundUploads = (form: string): boolean => continued.has(form);

/** Returns the queue that still uploads the files of a form, for the form that has opened again. */
export function takeContinued({ form, onUploaded }: Continuation): MediaQueue | null {
  const found = continued.get(form);
  if (!found) return null;
  continued.delete(form);
  found.onTaken();
  onUploaded(found.queue.urls());
  return found.queue;
}

/**
 * Continues the uploads of a queue in the background. Until they end, every page shows their progress, and the browser
 * warns before the site is left.
 */
export function continueUploads(
  queue: MediaQueue,
  { form, path, onUploaded }: Continuation,
  { isSignedIn, host }: Environment,
): void {
  const allowLeaving = warnBeforeLeaving();
  const show = () => host.showUploads?.(form, { ...queue.progress(), to: path, cancel: queue.cancelAll });
  const unsubscribe = queue.subscribe(show);
  const end = () => {
    unsubscribe();
    allowLeaving();
    // A form takes its queue while React renders it, and the shell must not be rendered at this time.
    queueMicrotask(() => host.showUploads?.(form, null));
  };
  continued.set(form, { queue, onTaken: end });
  show();
  void queue.idle().then(() => {
    // The form is open again and uses the queue.
    if (continued.get(form)?.queue !== queue) return;
    continued.delete(form);
    end();
    // After a logout, nothing of the former user may be stored on the device.
    if (isSignedIn()) {
      onUploaded(queue.urls());
      if (queue.hasFailed())
        host.notify({
          text: t('backgroundFailed'),
          tone: 'danger',
          action: { label: t('openForm'), run: () => host.navigate(path) },
        });
    }
    queue.stop();
  });
}
