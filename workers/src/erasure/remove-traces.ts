import {
  createTraces,
  createUnfinishedJobs,
  findMatchingJobs,
  removeMatchingJobs,
  type MentionedId,
  type QueuedJob,
  type TraceKind,
  type TraceOwner,
} from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';

/** An erased account whose traces are removed. */
export interface ErasedOwner extends TraceOwner {
  /** The ids of the removed photos and videos of the account. */
  readonly mediaIds: readonly string[];
}

type TraceDependencies = Dependencies<'pool' | 'backend' | 'createAccountId'>;

/** A kind of trace that was found after the removal. */
export type RemainingTrace = TraceKind | 'jobs' | 'unfinished jobs';

/**
 * Removes the data of erased accounts from tables and queues that are not derived from events. Reads the queue, the
 * unfinished jobs and the inbox once for all these accounts. Then verifies the result: returns the kinds of traces that
 * remain, for each account. The result is empty when nothing remains. A running job about an account remains, because
 * it may still write more data.
 */
export async function removeTraces(
  owners: readonly ErasedOwner[],
  deps: TraceDependencies,
): Promise<readonly (readonly RemainingTrace[])[]> {
  // This comes first, because a job that is stored as unfinished would be enqueued again.
  await createUnfinishedJobs(deps.pool).removeMentioning(owners.flatMap(idsOf));
  await removeMatchingJobs(deps.backend, isAboutOneOf(owners));
  await createTraces(deps.pool).remove(owners, deps.createAccountId);
  return findTraces(owners, deps);
}

/** Returns the kinds of traces that exist, for each of these accounts. */
export async function findTraces(
  owners: readonly ErasedOwner[],
  { pool, backend, createAccountId }: TraceDependencies,
): Promise<readonly (readonly RemainingTrace[])[]> {
  const traces = await createTraces(pool).findRemains(owners, createAccountId);
  const unfinished = await createUnfinishedJobs(pool).findMentioned(owners.flatMap(idsOf));
  const jobs = await findMatchingJobs(backend, isAboutOneOf(owners));
  return owners.map((owner, index) => [
    ...(traces[index] ?? []),
    ...(idsOf(owner).some(({ id }) => unfinished.has(id)) ? (['unfinished jobs'] as const) : []),
    ...(jobs.some((job) => isAbout(owner, job)) ? (['jobs'] as const) : []),
  ]);
}

function idsOf({ accountIds, mediaIds, before }: ErasedOwner): readonly MentionedId[] {
  return [...accountIds, ...mediaIds].map((id) => ({ id, before }));
}

/** Returns whether a job is about an account or its media, i.e. whether its payload contains one of their ids. */
function isAbout(owner: ErasedOwner, { payload, enqueuedAt_ms }: QueuedJob): boolean {
  if (enqueuedAt_ms >= owner.before.getTime()) return false;
  const text = JSON.stringify(payload);
  return idsOf(owner).some(({ id }) => text.includes(id));
}

const isAboutOneOf =
  (owners: readonly ErasedOwner[]) =>
  (payload: QueuedJob['payload'], enqueuedAt_ms: number): boolean =>
    owners.some((owner) => isAbout(owner, { payload, enqueuedAt_ms }));
