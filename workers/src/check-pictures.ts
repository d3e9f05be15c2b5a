import { media, PostponedJobError, STOCK_OWNER_ID, toSearchHashes } from '@alpenglow/domain';
import { recordPhotoHash } from '@alpenglow/domain/deciders';
import { MEDIA_ITEMS, hashesOfStoredPhoto } from '@alpenglow/infra';
import { attemptParts, ItemsFailed } from './attempt-each.ts';
import type { Dependencies } from './dependencies.ts';
import { holdPhoto, type HoldPhotoDependencies } from './hold-photo.ts';
import { isBackingServiceFailure } from './retry-during-outages.ts';
import { systemOrigin } from './system-origin.ts';

const TASK = 'check-pictures';
/** The number of photos after which the progress is stored. After an interruption, at most these are repeated. */
const PAGE = 20;
/** The maximum number of photos, or of pictures that were taken down, of one run. The next run continues. */
const MAX_AT_ONCE = 1_000;
/** The number of failed items of a check from which it only repeats these. So many probably have a common cause. */
const MAX_FAILED = 1_000;
/**
 * The time after which the copies of a picture that was taken down are searched a second time. The check of an upload
 * may have begun before the picture was on the list, and may have ended after the first search. It is also the time
 * after which all processes have read a changed file.
 */
const SETTLED_AFTER_ms = 2 * 60_000;

type CheckPicturesDependencies = HoldPhotoDependencies &
  Dependencies<
    | 'pool'
    | 'blobs'
    | 'dataKeys'
    | 'decoder'
    | 'knownImages'
    | 'hashList'
    | 'copies'
    | 'pictureChecks'
    | 'haveOtherReaders'
    | 'log'
  >;

/**
 * Compares published photos with the lists of pictures that must not be published, after a list has grown.
 * Every match is hidden until a moderator decides. Photos of earlier versions get their perceptual hash when no process
 * of another build runs, because builds before decision 0118 cannot read the event that records a hash. The progress
 * is stored, so a run continues where another one was interrupted. An item that fails does not stop the others, and is
 * repeated later. Rejects with `ItemsFailed` at the end if one failed, or at once if `signal` aborts.
 */
export async function checkPictures(
  deps: CheckPicturesDependencies,
  now_ms: number,
  signal: AbortSignal,
): Promise<void> {
  const settled = new Date(now_ms - SETTLED_AFTER_ms);
  const hashing = {
    'without-hash': () => hashPhotos(deps, signal),
    'hash-list': () => compareWithHashList(deps, settled, signal),
  };
  await attemptParts(
    {
      'taken-down': () => searchCopies(deps, 'taken-down', new Date(now_ms), signal),
      'taken-down-again': () => searchCopies(deps, 'taken-down-again', settled, signal),
      ...((await deps.haveOtherReaders()) ? {} : hashing),
    },
    { task: TASK, log: deps.log, signal },
  );
}

/** Hides the copies of the pictures that were taken down before `before` and since the last call with this name. */
async function searchCopies(
  deps: CheckPicturesDependencies,
  name: string,
  before: Date,
  signal: AbortSignal,
): Promise<void> {
  const { copies } = deps;
  await continueCheck<{ readonly at: string; readonly pictureId: string }>(deps, signal, {
    name,
    listVersion: 'taken-down',
    list: async (after) =>
      (await copies.listTakenDown(after, before, PAGE)).map((place) => ({ id: place.pictureId, place })),
    work: (pictureId) => holdCopies(deps, pictureId, signal),
  });
}

/** Computes the hashes of photos of earlier versions, and compares these photos with the lists. */
async function hashPhotos(deps: CheckPicturesDependencies, signal: AbortSignal): Promise<void> {
  // Every run begins with the first photo that has no hash, except failed ones. In a run, the read model may lag.
  let after = '';
  await continueCheck<string>(deps, signal, {
    name: 'without-hash',
    listVersion: 'without-hash',
    list: async (_, failed) => {
      const page = await listPhotos(deps, after, { isWithoutHash: true, except: failed });
      after = page.at(-1)?.id ?? after;
      return page;
    },
    work: (mediaId) => comparePhoto(deps, mediaId, signal),
  });
}

/** Compares all photos with the operator's list, if it has changed since the last complete comparison. */
async function compareWithHashList(deps: CheckPicturesDependencies, settled: Date, signal: AbortSignal): Promise<void> {
  const { pictureChecks, hashList, log } = deps;
  const name = 'hash-list';
  const listVersion = await hashList.readVersion();
  if (listVersion === null) return;
  const check = await pictureChecks.open<string>(name, listVersion);
  if (check.isEnded || check.startedAt > settled) return;
  const isComplete = await continueCheck<string>(deps, signal, {
    name,
    listVersion,
    list: (after) => listPhotos(deps, after ?? '', { isWithoutHash: false, except: [] }),
    work: (mediaId) => comparePhoto(deps, mediaId, signal),
  });
  if (!isComplete) return;
  const { compared } = await pictureChecks.open(name, listVersion);
  log.info({ compared }, 'all photos were compared with IMAGE_HASH_LIST');
}

interface Listed<Place> {
  readonly id: string;
  /** Where the list continues after this item. */
  readonly place: Place;
}

interface Check<Place> {
  readonly name: string;
  readonly listVersion: string;
  /** Returns up to `PAGE` items after a place. `failed` are the ids of those that failed before. */
  readonly list: (after: Place | null, failed: readonly string[]) => Promise<readonly Listed<Place>[]>;
  readonly work: (id: string) => Promise<void>;
}

/**
 * Continues a check at its stored progress, and repeats the items that failed earlier if it is time. Returns whether
 * all items were processed, and records this. Rejects with `ItemsFailed` at the end if an item failed. Rejects at once
 * if a backing service is unavailable or the read models are too far behind. The next run then repeats the page.
 */
async function continueCheck<Place>(
  deps: CheckPicturesDependencies,
  signal: AbortSignal,
  { name, listVersion, list, work }: Check<Place>,
): Promise<boolean> {
  const { pictureChecks } = deps;
  const errors: unknown[] = [];
  const attempt = (ids: readonly string[]) => attemptItems(deps, ids, work, errors, signal);
  let { lastItem, failed, isEnded } = await pictureChecks.open<Place>(name, listVersion);
  const due = failed.length === 0 ? [] : await pictureChecks.readDueFailures(name);
  if (due.length > 0) {
    failed = await attempt(due);
    await pictureChecks.setFailures(name, failed);
  }
  let isComplete = false;
  for (let processed = 0; processed < MAX_AT_ONCE && !isComplete; processed += PAGE) {
    if (failed.length >= MAX_FAILED) throw new Error(`Only the ${failed.length} failed items of ${name} are repeated`);
    const page = await list(lastItem, failed);
    const last = page.at(-1);
    if (last) {
      const failedOfPage = await attempt(page.map(({ id }) => id));
      await pictureChecks.advance(name, last.place, page.length, failedOfPage);
      lastItem = last.place;
      isEnded = false;
      failed = [...failed, ...failedOfPage];
    }
    isComplete = page.length < PAGE;
  }
  if (errors.length > 0) throw new ItemsFailed(TASK, errors.length, errors);
  if (!isComplete || failed.length > 0) return false;
  if (!isEnded) await pictureChecks.end(name);
  return true;
}

/** Calls `work` for the items. Returns the ids of those that failed, and adds their errors to `errors`. */
async function attemptItems(
  { log }: CheckPicturesDependencies,
  ids: readonly string[],
  work: (id: string) => Promise<void>,
  errors: unknown[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const id of ids) {
    signal.throwIfAborted();
    try {
      await work(id);
    } catch (err) {
      signal.throwIfAborted();
      if (err instanceof PostponedJobError || isBackingServiceFailure(err)) throw err;
      log.warn({ err, round: TASK, item: id }, 'a picture could not be checked');
      failed.push(id);
      errors.push(err);
    }
  }
  return failed;
}

/** Returns up to `PAGE` photos after `after`, in the order of their ids, except stock pictures. */
async function listPhotos(
  { pool }: CheckPicturesDependencies,
  after: string,
  { isWithoutHash, except }: { readonly isWithoutHash: boolean; readonly except: readonly string[] },
): Promise<readonly Listed<string>[]> {
  const { rows } = await pool.query<{ mediaId: string }>({
    name: isWithoutHash ? 'photos-without-hash' : 'photos-after',
    text: `select media_id as "mediaId" from ${MEDIA_ITEMS.table}
            where media_id > $1 and kind = 'photo' and status = 'ready' and owner_id <> $2 and media_id <> all($3)
              ${isWithoutHash ? 'and hash is null' : ''}
            order by media_id limit ${PAGE}`,
    values: [after, STOCK_OWNER_ID, except],
  });
  return rows.map(({ mediaId }) => ({ id: mediaId, place: mediaId }));
}

/** Hides the copies of a picture, if it is still taken down. */
async function holdCopies(deps: CheckPicturesDependencies, pictureId: string, signal: AbortSignal): Promise<void> {
  const [picture] = await deps.copies.findTakenDown([pictureId]);
  if (!picture) return;
  const searched = toSearchHashes((await hashesOfStoredPhoto(deps, pictureId, signal)) ?? [picture.hash]);
  const photos = await deps.copies.findFiles(searched, picture.digests);
  const ids = photos.map(({ mediaId }) => mediaId).filter((mediaId) => mediaId !== pictureId);
  const errors: unknown[] = [];
  await attemptItems(deps, ids, (mediaId) => holdPhoto(deps, mediaId, 'known_copy'), errors, signal);
  if (errors.length > 0) throw new ItemsFailed(TASK, errors.length, errors);
}

/**
 * Compares a published photo with the lists, and hides it if it matches. Its hash is recorded last, so that an
 * interrupted comparison is repeated. Throws if no file of the photo can be read.
 */
async function comparePhoto(deps: CheckPicturesDependencies, mediaId: string, signal: AbortSignal): Promise<void> {
  const { commands, knownImages } = deps;
  const { state } = await commands.load(media, mediaId);
  if (state?.status !== 'ready') return;
  const hashes = await hashesOfStoredPhoto(deps, mediaId, signal);
  const [hash] = hashes ?? [];
  if (!hashes || hash === undefined) throw new Error('No file of the photo can be read');
  const { digests = [] } = state;
  const verdict = await knownImages.check({ mediaId, searched: toSearchHashes(hashes), digests });
  // A published photo is never removed without a moderator, because a match may be wrong.
  if (verdict === 'illegal') await holdPhoto(deps, mediaId, 'known_image');
  if (verdict === 'taken_down') await holdPhoto(deps, mediaId, 'known_copy');
  await commands.execute(media, mediaId, recordPhotoHash, { hash }, systemOrigin(TASK, mediaId));
}
