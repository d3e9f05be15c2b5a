import {
  isTakingDown,
  media,
  moderationCase,
  takenDownCommand,
  toCaseId,
  uniteDigests,
  type CaseId,
} from '@alpenglow/domain';
import type { CommandHandler, CommandOrigin } from '../service/command-handler.ts';
import { sendCommand } from './send-command.ts';
import { digestsOfStoredFiles, type StoredFileDependencies } from './stored-digests.ts';

/**
 * Adds the photo or video of a moderation case to the pictures that were taken down, if its decision requires this, or
 * removes it after the decision was reversed. `storedDigests` are further digests of its files. Idempotent.
 */
export async function takePictureOfCaseDown(
  commands: CommandHandler,
  caseId: CaseId,
  origin: CommandOrigin,
  storedDigests: readonly string[] = [],
): Promise<void> {
  const { state } = await commands.load(moderationCase, caseId);
  if (state?.subject.kind !== 'media') return;
  const { state: file } = await commands.load(media, state.subject.id);
  const hash = file?.kind === 'photo' && file.status === 'ready' ? file.hash : null;
  const recorded = file?.status === 'ready' ? file.digests : [];
  const command = takenDownCommand(state, hash, uniteDigests(recorded, storedDigests));
  if (command) await sendCommand(commands, command, origin);
}

/**
 * Adds the digests of the stored files of a photo or video that a moderator has taken down, because visitors may have
 * saved one of these files. Does nothing if its case does not take it down. Idempotent.
 */
export async function addStoredDigests(
  deps: StoredFileDependencies & { readonly commands: CommandHandler },
  mediaId: string,
  origin: CommandOrigin,
  signal: AbortSignal,
): Promise<void> {
  const { commands } = deps;
  const caseId = toCaseId({ kind: 'media', id: mediaId });
  const { state } = await commands.load(moderationCase, caseId);
  if (state === null || !isTakingDown(state)) return;
  const { state: file } = await commands.load(media, mediaId);
  if (file === null) return;
  await takePictureOfCaseDown(commands, caseId, origin, await digestsOfStoredFiles(deps, file, signal));
}
