import {
  isConfirmed,
  media,
  moderationCase,
  PostponedJobError,
  STOCK_OWNER_ID,
  toCaseId,
  toStreamId,
  type SubjectState,
  addReportToCase,
} from '@alpenglow/domain';
import { createRequestIds } from '@alpenglow/infra';
import type { Dependencies } from './dependencies.ts';
import { fileReportOfProduct } from './take-report-in.ts';
import { systemOrigin } from './system-origin.ts';

export type HoldPhotoDependencies = Dependencies<'commands' | 'ads' | 'progress' | 'hashKey'>;

/** The delay after which a job runs again if the read models are too far behind. */
const RETRY_ms = 1_000;

/**
 * Hides a photo or video that is a copy of one that must not be published, until a moderator decides.
 * `reason` states whether the operator's list names it, or it is a copy of one that was taken down. Files the report of
 * the product, opens the moderation case and waits until the read models contain it. A photo that is not recorded as
 * ready yet is therefore hidden before other accounts can see it. Does nothing for stock pictures, for a photo that a
 * moderator has confirmed after such a report, and for one that was rejected or removed. Idempotent. Throws
 * `PostponedJobError` if the read models are too far behind.
 */
export async function holdPhoto(
  deps: HoldPhotoDependencies,
  mediaId: string,
  reason: 'known_image' | 'known_copy',
): Promise<void> {
  const { commands, progress, hashKey } = deps;
  const { state, revision } = await commands.load(media, mediaId);
  if (state?.status !== 'processing' && state?.status !== 'ready') return;
  const { ownerId, uploadedAt } = state;
  if (ownerId === STOCK_OWNER_ID) return;
  const subject = { kind: 'media', id: mediaId } as const;
  // A person who has the id of a report can read its state, so the id must not follow from that of the photo.
  const seed = hashKey(`${reason}\0${mediaId}`);
  const ids = createRequestIds({ seed, at_ms: Date.parse(uploadedAt), isRepeated: false });
  const report = { reportId: ids.createId(), subject, reason } as const;
  const { state: opened } = await commands.load(moderationCase, toCaseId(subject));
  // A moderator who decided without this report, or about an ad with the photo, did not know the list.
  if (opened?.reportIds.includes(report.reportId) && isConfirmed(opened, 0)) return;
  const evidence = { stream: toStreamId(media, mediaId), revision };
  const found: SubjectState = { subject, ownerId, evidence, isVisible: true, canBeHidden: true };
  const origin = systemOrigin('check-pictures', mediaId);
  await fileReportOfProduct({ commands }, report, found, origin);
  const position = await addReportToCase(deps, report, origin, found);
  if (position !== null && !(await progress.waitFor('moderation_cases', position)))
    throw new PostponedJobError('The moderation case is not in the read models yet', { after_ms: RETRY_ms });
}
