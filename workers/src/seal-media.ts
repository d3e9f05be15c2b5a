import { media, moderationCase, person, publicBlobKeys, toCaseId, type MediaRecord } from '@alpenglow/domain';
import { createMediaEvidence, runInOneProcess } from '@alpenglow/infra';
import { attemptEach } from './attempt-each.ts';
import type { Dependencies } from './dependencies.ts';

type SealMediaDependencies = Dependencies<'pool' | 'blobs' | 'dataKeys' | 'commands' | 'mediaDirectory'>;

/** Runs `work` while no other process moves or removes files of this photo or video. Returns false if one does. */
export async function withMediaFiles(
  { pool }: Dependencies<'pool'>,
  mediaId: string,
  work: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<boolean> {
  return (await runInOneProcess(pool, `files-of-${mediaId}`, async () => work().then(() => true), signal)) ?? false;
}

/**
 * Seals or restores the files of a photo or video, so that they match its events:
 *
 * - While a moderation case removes the file, its files are sealed. Staff can still view them, for example for an
 *   appeal. If the decision is reversed, the files are restored.
 * - A file that was removed from the product is retained under a legal hold of its owner, and only sealed. When the
 *   hold ends, the sealed files are removed.
 *
 * The result depends on the events only, so the function can be interrupted at any point and called again. Returns
 * false if another process is moving the files.
 */
export function alignMediaEvidence(
  deps: Omit<SealMediaDependencies, 'mediaDirectory'>,
  mediaId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { commands } = deps;
  const evidence = createMediaEvidence(deps);
  const align = async () => {
    const { state } = await commands.load(media, mediaId);
    if (state?.status === 'ready') {
      if (await isRemovedByCase(deps, mediaId)) await evidence.seal(state, signal);
      else await evidence.unseal(state, signal);
    } else if (state?.status === 'removed') {
      if (await isHeld(deps, state)) await evidence.seal(state, signal);
      else await Promise.all([evidence.remove(state), deps.blobs.remove(publicBlobKeys[state.kind](mediaId))]);
    }
  };
  return withMediaFiles(deps, mediaId, align, signal);
}

/**
 * Aligns all photos and videos that a moderation case removes, or that have sealed files. This seals files that were
 * removed before the product sealed evidence, and removes evidence after a legal hold. A file that fails does not stop
 * the others. Rejects with `ItemsFailed` at the end if a file failed, or at once if `signal` aborts.
 */
export async function alignAllMediaEvidence(
  deps: SealMediaDependencies & Dependencies<'log'>,
  signal: AbortSignal,
): Promise<void> {
  const mediaIds = new Set(await deps.mediaDirectory.findRemovedByCase());
  for await (const mediaId of createMediaEvidence(deps).list()) mediaIds.add(mediaId);
  await attemptEach(mediaIds, (mediaId) => alignMediaEvidence(deps, mediaId, signal), {
    task: 'seal-media',
    nameOf: (mediaId) => mediaId,
    log: deps.log,
    signal,
  });
}

/** Checks whether the owner of a file is under a legal hold, so that no evidence may be destroyed. */
export async function isHeld(
  { commands }: Dependencies<'commands'>,
  { ownerId }: Pick<MediaRecord, 'ownerId'>,
): Promise<boolean> {
  return (await commands.load(person, ownerId)).state.heldSince !== null;
}

async function isRemovedByCase({ commands }: Dependencies<'commands'>, mediaId: string): Promise<boolean> {
  const { state } = await commands.load(moderationCase, toCaseId({ kind: 'media', id: mediaId }));
  const outcome = state?.isHidingSubject ? state.decision?.outcome : undefined;
  return outcome === 'removed' || outcome === 'account_closed';
}
