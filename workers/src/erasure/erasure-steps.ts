import {
  account,
  closeStandIn,
  deletePostsOf,
  threadCodeOf,
  thread,
  type BlobStore,
  type EventStore,
} from '@alpenglow/domain';
import {
  createTraces,
  doneAt,
  endAccount,
  erasureOrigin,
  forgetJobs,
  type AccountKeys,
  type CommandHandler,
  type ErasedPerson,
  type ErasureSteps,
  type JobBackend,
  type Pool,
  type Sessions,
} from '@alpenglow/infra';
import { removeBlobsOf } from './blobs-of.ts';
import { standInsOf, startedThreadsOf, threadsWrittenIn } from './found-of.ts';

export interface ErasureStepDependencies {
  readonly pool: Pool;
  readonly commands: CommandHandler;
  readonly sessions: Sessions;
  readonly blobs: BlobStore;
  readonly backend: JobBackend;
  /** The events as they are kept: what is read of them here is sealed in none. */
  readonly sealedStore: EventStore;
  readonly dataKeys: AccountKeys;
  readonly accountIdOf: (email: string) => string;
}

/** Later than any time there will be. */
const NEVER = '9999-12-31T23:59:59.999Z';

/**
 * The steps of an erasure that are the workers' (decision 0044); the projectors purge what they have made. What somebody who has signed up with the address since
 * has made is left alone.
 */
export function erasureSteps(deps: ErasureStepDependencies): ErasureSteps {
  const { dataKeys } = deps;
  return {
    async keys_retired({ accountId }) {
      await dataKeys.retire(accountId);
      return 'done';
    },
    async account_closed(person, signal) {
      await closeAccountOf(person, deps, signal);
      return 'done';
    },
    async blobs_removed(person, signal) {
      await removeBlobsOf(person, deps, signal);
      return 'done';
    },
    async keys_destroyed({ accountId }) {
      await dataKeys.destroyRetired(accountId);
      return 'done';
    },
    traces_removed: (person, signal) => removeTracesOf(person, deps, signal),
  };
}

async function closeAccountOf(person: ErasedPerson, deps: ErasureStepDependencies, signal: AbortSignal): Promise<void> {
  const { commands, sealedStore } = deps;
  const { accountId } = person;
  const origin = erasureOrigin(person);
  const { state, revision } = await commands.load(account, accountId);
  const newcomerAt = state && state.registeredAt > person.requestedAt ? state.registeredAt : null;
  for (const standIn of await standInsOf(accountId, sealedStore, newcomerAt ?? NEVER, signal))
    await commands.handle(account, standIn, closeStandIn, origin);
  if (newcomerAt === null && revision >= 0) await endAccount(deps, accountId, origin);
  for (const threadId of await threadsWrittenIn(accountId, deps)) {
    signal.throwIfAborted();
    await commands.handle(thread, threadId, (now) => deletePostsOf(accountId, newcomerAt ?? NEVER, now), origin);
  }
}

/** A job under way may still write: then it is too early. */
async function removeTracesOf(
  person: ErasedPerson,
  deps: ErasureStepDependencies,
  signal: AbortSignal,
): Promise<'done' | 'later'> {
  const { accountId } = person;
  const closedAt = doneAt(person, 'account_closed');
  const before = new Date(doneAt(person, 'keys_destroyed'));
  const media = await removeBlobsOf(person, deps, signal);
  const standIns = await standInsOf(accountId, deps.sealedStore, closedAt, signal);
  const ids = [accountId, ...standIns, ...media];
  // Whatever a job is about, it names them by one of these.
  const namesThem = (payload: Readonly<Record<string, unknown>>) => {
    const text = JSON.stringify(payload);
    return ids.some((id) => text.includes(id));
  };
  if (
    !(await forgetJobs(
      deps.backend,
      (payload, enqueuedAt_ms) => enqueuedAt_ms < before.getTime() && namesThem(payload),
    ))
  )
    return 'later';

  const traces = createTraces(deps.pool);
  await traces.endSessions([accountId, ...standIns], new Date(closedAt));
  await traces.emptyAnswers();
  await traces.forgetTold(accountId);
  // A mail about a thread has its title, and the end of its address.
  const titled = (await startedThreadsOf(accountId, deps.sealedStore, signal)).map(
    (threadId) => `${threadCodeOf(threadId)}?post=`,
  );
  await traces.removeMails((to) => deps.accountIdOf(to) === accountId, titled, before);
  return 'done';
}
