import { account, createThreadCode, thread } from '@alpenglow/domain';
import { closeStandIn, deletePostsOfAccount } from '@alpenglow/domain/deciders';
import {
  createTraces,
  createUnfinishedJobs,
  completedAt,
  endAccount,
  erasureOrigin,
  removeMatchingJobs,
  type ErasedPerson,
  type ErasureSteps,
} from '@alpenglow/infra';
import { createCommandsWithoutPersonalData } from '../commands-without-personal-data.ts';
import type { Dependencies } from '../dependencies.ts';
import { removeBlobsOfAccount } from './remove-blobs.ts';
import { findKeyIds, findStandIns, findStartedThreads, findThreadsWithPosts } from './find-account-data.ts';

type ErasureStepDependencies = Dependencies<
  'pool' | 'sessions' | 'blobs' | 'backend' | 'sealedStore' | 'dataKeys' | 'createAccountId'
>;

/** A time that is later than every event. */
const END_OF_TIME = '9999-12-31T23:59:59.999Z';

/**
 * Returns the steps of an erasure of personal data that the workers run (decision 0044). The projectors, another
 * service, run the step that removes the data from the read models. In the meantime, a new account may have signed up
 * with the same e-mail address. The data of the new account is not removed.
 *
 * The commands of these steps use ids, statuses and times, and no personal data. They run on replacement values where
 * the data cannot be decrypted. Otherwise, an erasure would never end if a thread of the account contains a post of
 * another person whose key was lost, or if an event of the account was damaged.
 */
export function createErasureSteps(deps: ErasureStepDependencies): ErasureSteps {
  const { dataKeys } = deps;
  return {
    keys_retired: async ({ accountId }, signal) => whenDone(retireKeys(accountId, deps, signal)),
    account_closed: async (person, signal) => whenDone(closeAccount(person, deps, signal)),
    blobs_removed: async (person, signal) => whenDone(removeBlobs(person, deps, signal)),
    keys_destroyed: async ({ accountId }) => whenDone(dataKeys.destroyRetired(accountId)),
    traces_removed: (person, signal) => removeTracesOf(person, deps, signal),
  };
}

/**
 * Retires the keys of the account. Lost keys, which some events need, count as destroyed from now on. Without this, the
 * events of the account would be unreadable, and the next steps would fail forever.
 */
async function retireKeys(accountId: string, deps: ErasureStepDependencies, signal: AbortSignal): Promise<void> {
  const { dataKeys, sealedStore } = deps;
  await dataKeys.retire(accountId);
  await dataKeys.giveUpLost(accountId, await findKeyIds(accountId, sealedStore, signal));
}

async function whenDone(work: Promise<unknown>): Promise<'done'> {
  await work;
  return 'done';
}

async function closeAccount(person: ErasedPerson, deps: ErasureStepDependencies, signal: AbortSignal): Promise<void> {
  const { sessions, sealedStore } = deps;
  const commands = createCommandsWithoutPersonalData(deps);
  const { accountId } = person;
  const origin = erasureOrigin(person);
  const { state, revision } = await commands.load(account, accountId);
  const registeredAgainAt = state && state.registeredAt > person.requestedAt ? state.registeredAt : null;
  for (const standIn of await findStandIns(accountId, sealedStore, registeredAgainAt ?? END_OF_TIME, signal))
    await commands.execute(account, standIn, closeStandIn, {}, origin);
  if (registeredAgainAt === null && revision >= 0) await endAccount({ commands, sessions }, accountId, origin);
  for (const threadId of await findThreadsWithPosts(accountId, deps)) {
    signal.throwIfAborted();
    const command = { accountId, before: registeredAgainAt ?? END_OF_TIME };
    await commands.execute(thread, threadId, deletePostsOfAccount, command, origin);
  }
}

function removeBlobs(
  person: ErasedPerson,
  deps: ErasureStepDependencies,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  return removeBlobsOfAccount(person, { ...deps, commands: createCommandsWithoutPersonalData(deps) }, signal);
}

/**
 * Removes the remaining data of an erased account from tables that are not derived from events, e.g. sessions and
 * mails. Returns `later` while a job about the account is running, because the job may still write more data.
 */
async function removeTracesOf(
  person: ErasedPerson,
  deps: ErasureStepDependencies,
  signal: AbortSignal,
): Promise<'done' | 'later'> {
  const { accountId } = person;
  const closedAt = completedAt(person, 'account_closed');
  const before = new Date(completedAt(person, 'keys_destroyed'));
  const mediaIds = await removeBlobs(person, deps, signal);
  const standIns = await findStandIns(accountId, deps.sealedStore, closedAt, signal);
  const ids = [accountId, ...standIns, ...mediaIds];
  // A job is about the account or its media if the payload of the job contains one of these ids.
  const mentionsAccount = (payload: Readonly<Record<string, unknown>>) => {
    const text = JSON.stringify(payload);
    return ids.some((id) => text.includes(id));
  };
  const isAbout = (payload: Readonly<Record<string, unknown>>, enqueuedAt_ms: number) =>
    enqueuedAt_ms < before.getTime() && mentionsAccount(payload);
  // This comes first, because a job that is stored as unfinished would be enqueued again.
  await createUnfinishedJobs(deps.pool).removeMentioning(ids, before);
  if (!(await removeMatchingJobs(deps.backend, isAbout))) return 'later';

  const traces = createTraces(deps.pool);
  await traces.endSessions([accountId, ...standIns], new Date(closedAt));
  await traces.clearStoredResponses();
  await traces.removeReplyNotifications(accountId);
  // Mails about the threads that the account started contain the URLs of these threads. They are found by the end of
  // these URLs.
  const threadUrls = (await findStartedThreads(accountId, deps.sealedStore, signal)).map(
    (threadId) => `${createThreadCode(threadId)}?post=`,
  );
  await traces.removeInboxMails((to) => deps.createAccountId(to) === accountId, threadUrls, before);
  return 'done';
}
