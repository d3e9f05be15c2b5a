import {
  DomainError,
  media,
  originalBlobKey,
  publicBlobKeys,
  type MediaKind,
  type MediaRecord,
} from '@alpenglow/domain';
import { removeMedia, uploadMedia } from '@alpenglow/domain/deciders';
import { pollUntil, type CommandOrigin } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import type { StoredFile } from './upload-storage.ts';

interface FileRecordsOptions extends Dependencies<'commands' | 'blobs' | 'uploadWait_ms'> {
  /** Ends the wait for verdicts when the process stops. */
  readonly stopping: AbortSignal | undefined;
  /** Called after a file was recorded, whose check is not finished. */
  readonly onRecorded: (ownerId: string, mediaId: string) => void;
}

/** Creates the operations on the records of uploaded files. They own no state, because it is in the event log. */
export function createFileRecords({ commands, blobs, uploadWait_ms, stopping, onRecorded }: FileRecordsOptions) {
  /**
   * Removes the stored files of a failed upload request. A file that the worker has rejected remains recorded as
   * rejected. If the removal of a recorded file cannot be recorded, a periodic task removes the bytes of the file
   * later. Errors are ignored, because the client must receive the error that caused the removal.
   */
  async function removeFiles(
    kind: MediaKind,
    files: readonly StoredFile[],
    recorded: ReadonlySet<string>,
    origin: CommandOrigin,
  ): Promise<void> {
    const removals = files.map(async ({ mediaId }) => {
      const isRemoved = await commands
        .handle(
          media,
          mediaId,
          (state, context) => (state?.status === 'rejected' ? [] : removeMedia({}, state, context)),
          origin,
        )
        .then(
          () => true,
          () => false,
        );
      if (!isRemoved && recorded.has(mediaId)) return;
      await blobs.remove(originalBlobKey(mediaId));
      if (isRemoved) await blobs.remove(publicBlobKeys[kind](mediaId));
    });
    await Promise.allSettled(removals);
  }

  async function record(
    kind: MediaKind,
    files: readonly StoredFile[],
    recorded: Set<string>,
    ownerId: string,
    origin: CommandOrigin,
  ): Promise<void> {
    for (const { mediaId, sizeBytes, contentType } of files) {
      await commands.execute(media, mediaId, uploadMedia, { mediaId, ownerId, kind, sizeBytes, contentType }, origin);
      recorded.add(mediaId);
      onRecorded(ownerId, mediaId);
    }
  }

  /**
   * Waits until the worker has checked all uploaded files, or until the time limit is reached. Returns the current
   * state of each file.
   */
  async function waitForVerdicts(
    files: readonly Pick<StoredFile, 'mediaId'>[],
    closed: AbortSignal,
  ): Promise<readonly MediaRecord[]> {
    const signal = stopping ? AbortSignal.any([closed, stopping]) : closed;
    const deadline = Date.now() + uploadWait_ms;
    const load = async (mediaId: string) => (await commands.load(media, mediaId)).state;
    return Promise.all(
      files.map(async ({ mediaId }) => {
        const loadVerdict = async () => {
          const state = await load(mediaId);
          return state?.status === 'processing' ? null : state;
        };
        const found =
          (await pollUntil(loadVerdict, { timeout_ms: deadline - Date.now(), signal })) ?? (await load(mediaId));
        if (!found) throw new DomainError('NOT_FOUND');
        return found;
      }),
    );
  }

  return { record, removeFiles, waitForVerdicts };
}
