import {
  media,
  originalBlob,
  shownBlobs,
  UnrecoverableJobError,
  type BlobStore,
  type JobHandler,
  type MediaEvent,
  type MediaKind,
  type MediaState,
} from '@alpenglow/domain';
import type { CommandHandler } from '@alpenglow/infra';

export interface JudgeDependencies {
  readonly blobs: BlobStore;
  readonly commands: CommandHandler;
}

/** What is to be recorded of a file, once it has been looked at. */
export type Verdict = (state: MediaState) => readonly MediaEvent[];

export interface Judge {
  readonly kind: MediaKind;
  /** Who judges, as the events' actor. */
  readonly name: string;
  /** Writes what visitors will get, and says how the file is. */
  judge(file: { readonly mediaId: string; readonly contentType: string }, signal: AbortSignal): Promise<Verdict>;
}

/**
 * A job that has an uploaded file judged and says so; then the original goes. May be cut off anywhere and run again: bytes are
 * written before the event, and the original stays until the event is there.
 */
export function judgeMedia(
  { blobs, commands }: JudgeDependencies,
  { kind, name, judge }: Judge,
): JobHandler<'photo-variants' | 'video-probe'> {
  return async ({ mediaId }, { signal }) => {
    let { state } = await commands.load(media, mediaId);
    if (state?.kind !== kind) throw new UnrecoverableJobError(`No ${kind} was uploaded as ${mediaId}`);
    if (state.status === 'processing') {
      const verdict = await judge({ mediaId, contentType: state.contentType }, signal);
      ({ state } = await commands.handle(media, mediaId, verdict, {
        actor: { kind: 'system', name },
        correlationId: mediaId,
      }));
    }
    if (state?.status !== 'ready') await blobs.remove(shownBlobs[kind](mediaId));
    await blobs.remove(originalBlob(mediaId));
  };
}
