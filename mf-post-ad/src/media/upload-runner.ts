import { t } from '../text.ts';
import { isPending, type MediaItem } from './media-item.ts';
import type { MediaStore } from './media-state.ts';
import type { QueueFiles } from './queue-files.ts';

/** The progress of all uploads of a queue. */
export interface QueueProgress {
  /** Number of files whose upload has not ended. */
  readonly files: number;
  /** The uploaded fraction, from 0 to 1, of the files that the queue has uploaded since it was last idle. */
  readonly share: number;
  /** True while the running upload waits until the server can be reached again. */
  readonly isWaiting: boolean;
}

export type UploadRunner = ReturnType<typeof createUploadRunner>;

/**
 * Creates the runner that uploads the waiting items one after another. Owns the running upload and the list of items
 * that were started. Invariant: at most one upload runs at a time, and none starts after `stop`.
 */
export function createUploadRunner(
  media: MediaStore,
  files: Pick<QueueFiles, 'find'>,
  send: (item: MediaItem, file: File) => Promise<void>,
) {
  let running: Promise<void> | null = null;
  let isStopped = false;
  /** The keys of the items whose upload has started since the queue was last idle. */
  const started = new Set<string>();

  function nextWaiting(): [MediaItem, File] | null {
    if (isStopped) return null;
    for (const item of media.all()) {
      const file = item.state === 'waiting' ? files.find(item.key) : undefined;
      if (file) return [item, file];
    }
    return null;
  }

  /** Uploads the waiting items one after another. Resolves when none is left. */
  function run(): Promise<void> {
    running ??= (async () => {
      for (let next = nextWaiting(); next; next = nextWaiting()) {
        started.add(next[0].key);
        await send(...next);
      }
    })().finally(() => {
      started.clear();
      running = null;
    });
    return running;
  }

  return {
    isRunning: (): boolean => running !== null,
    isStopped: (): boolean => isStopped,
    /** Resolves when no upload is running or waiting. */
    idle: (): Promise<void> => running ?? Promise.resolve(),
    run,
    /** Uploads the waiting items, also new ones. */
    start(): void {
      if (running) media.showStatus(t('uploading'));
      void run();
    },
    progress(): QueueProgress {
      const items = media.all().filter((item) => isPending(item) || (item.state === 'done' && started.has(item.key)));
      const uploaded = items.reduce((sum, { progress }) => sum + progress, 0);
      return {
        files: items.filter(isPending).length,
        share: items.length === 0 ? 1 : uploaded / items.length,
        isWaiting: items.some((item) => item.isWaiting),
      };
    },
    stop(): void {
      isStopped = true;
    },
  };
}
