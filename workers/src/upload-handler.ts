import {
  media,
  originalBlobKey,
  publicBlobKeys,
  UnrecoverableJobError,
  type JobHandler,
  type MediaEvent,
  type MediaKind,
  type MediaState,
  type Decision,
  type RejectionCode,
} from '@alpenglow/domain';
import { rejectMedia } from '@alpenglow/domain/deciders';
import { DecoderLost } from '@alpenglow/infra';
import type { Dependencies } from './dependencies.ts';
import { systemOrigin } from './system-origin.ts';

/** The number of attempts after which a file is given up if the decoder crashes. The file is probably the cause. */
const ATTEMPTS_WITH_CRASH = 2;

export type UploadCheckDependencies = Dependencies<'blobs' | 'commands'>;

/** The function that decides which event records whether a checked file is ready or rejected. */
export type UploadDecision = Decision<MediaState, MediaEvent>;

/** Returns the function that rejects an uploaded file with this error code. */
export const rejection =
  (code: RejectionCode): UploadDecision =>
  (state, context) =>
    rejectMedia({ code }, state, context);

export interface UploadChecker {
  readonly kind: MediaKind;
  /** The name of the job. The events that the job writes contain this name as their actor. */
  readonly name: string;
  /**
   * Checks the uploaded file and stores the files that visitors load. Returns the function that records the result. The
   * caller runs this function.
   */
  check(file: { readonly mediaId: string; readonly contentType: string }, signal: AbortSignal): Promise<UploadDecision>;
}

/**
 * Creates the handler of a job that checks an uploaded file, records the result, and then removes the original file.
 * The files that visitors load are stored before the event is written, and the original is removed after the event. The
 * job can therefore be interrupted at any point and run again. If the decoder crashes in the second attempt or later,
 * the handler throws `UnrecoverableJobError`.
 */
export function createUploadHandler(
  { blobs, commands }: UploadCheckDependencies,
  { kind, name, check }: UploadChecker,
): JobHandler<'photo-variants' | 'video-probe'> {
  return async ({ mediaId }, { attempt, signal }) => {
    let { state } = await commands.load(media, mediaId);
    if (state?.kind !== kind) throw new UnrecoverableJobError(`No ${kind} was uploaded as ${mediaId}`);
    if (state.status === 'processing') {
      const verdict = await check({ mediaId, contentType: state.contentType }, signal).catch((error: unknown) => {
        if (error instanceof DecoderLost && attempt >= ATTEMPTS_WITH_CRASH && !signal.aborted)
          throw new UnrecoverableJobError(error.message, { cause: error });
        throw error;
      });
      ({ state } = await commands.handle(media, mediaId, verdict, systemOrigin(name, mediaId)));
    }
    if (state?.status !== 'ready') await blobs.remove(publicBlobKeys[kind](mediaId));
    await blobs.remove(originalBlobKey(mediaId));
  };
}
