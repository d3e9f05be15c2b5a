import { PostponedJobError, type KnownImageChecker } from '@alpenglow/domain';
import type { ImageHashList, PictureCopies } from '@alpenglow/infra';
import type { Dependencies } from './dependencies.ts';
import { holdPhoto, type HoldPhotoDependencies } from './hold-photo.ts';

/** The action for an upload that matches a list: it is rejected, or it waits for a moderator. */
type ListAction = 'reject' | 'hold';

interface PictureCheckerDependencies extends HoldPhotoDependencies, Dependencies<'store'> {
  /** The operator's list of known illegal images. */
  readonly hashList: ImageHashList;
  readonly copies: Pick<PictureCopies, 'isTakenDown'>;
  readonly actions: { readonly hashList: ListAction; readonly takenDown: ListAction };
}

type CheckedFile = Parameters<KnownImageChecker['check']>[0];

/** The delay after which a job runs again if the read models are too far behind. */
const RETRY_ms = 1_000;

/**
 * Creates the checker that compares photos and videos with the operator's list and with what was taken down, and
 * applies what the operator has chosen for each of them.
 */
export function createPictureChecker(deps: PictureCheckerDependencies): KnownImageChecker {
  const { hashList, copies, actions, store, progress } = deps;

  /** The read model may lag, so the check waits until it contains all events. */
  async function isTakenDown({ mediaId, searched, digests }: CheckedFile): Promise<boolean> {
    if (!(await progress.waitFor('taken_down_pictures', await store.readHead())))
      throw new PostponedJobError('The pictures that were taken down are not known yet', { after_ms: RETRY_ms });
    return copies.isTakenDown(searched, digests, mediaId);
  }

  return {
    async check(file) {
      const { mediaId, searched } = file;
      const isListed = await hashList.isKnown(searched);
      if (isListed && actions.hashList === 'reject') return 'illegal';
      const isCopy = await isTakenDown(file);
      if (isCopy && actions.takenDown === 'reject') return 'taken_down';
      if (!isListed && !isCopy) return 'allowed';
      await holdPhoto(deps, mediaId, isListed ? 'known_image' : 'known_copy');
      return 'allowed';
    },
  };
}
