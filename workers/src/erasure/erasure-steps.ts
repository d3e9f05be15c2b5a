import { LRUCache } from 'lru-cache';
import { account, thread, endAccount } from '@alpenglow/domain';
import { closeStandIn, deletePostsOfAccount } from '@alpenglow/domain/deciders';
import {
  createErasureSlots,
  createTraces,
  erasureOrigin,
  type ErasedPerson,
  type ErasureSlots,
  type ErasureSteps,
  type ErasureWork,
} from '@alpenglow/infra';
import { createCommandsWithoutPersonalData } from '../commands-without-personal-data.ts';
import type { Dependencies } from '../dependencies.ts';
import { findAccountData, type AccountData } from './find-account-data.ts';
import { findRemainingData, toErasedOwner } from './find-remaining-data.ts';
import { removeBlobsOfAccount } from './remove-blobs.ts';
import { removeTraces, type ErasedOwner } from './remove-traces.ts';
import { shareRuns } from './share-runs.ts';

type ErasureStepDependencies = Dependencies<
  'pool' | 'sessions' | 'blobs' | 'backend' | 'sealedStore' | 'dataKeys' | 'createAccountId' | 'log'
>;

/** The maximum number of steps that use the database at the same time. Requests use the same connections. */
const STEPS_AT_ONCE = 4;

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
  const inSlot = createErasureSlots(STEPS_AT_ONCE);
  const step =
    (work: (person: ErasedPerson, signal: AbortSignal) => Promise<unknown>): ErasureWork =>
    (person, signal) =>
      inSlot(() => work(person, signal).then(() => 'done' as const), signal);
  return {
    keys_retired: step(({ accountId }, signal) => retireKeys(accountId, deps, signal)),
    account_closed: step((person, signal) => closeAccount(person, deps, signal)),
    blobs_removed: step(async (person, signal) =>
      removeBlobs(person, await findAccountData(person.accountId, deps, signal), deps, signal),
    ),
    keys_destroyed: step(({ accountId }) => dataKeys.destroyRetired(accountId)),
    traces_removed: createTraceStep(deps, inSlot),
  };
}

/**
 * Retires the keys of the account. Lost keys, which some events need, count as destroyed from now on. Without this, the
 * events of the account would be unreadable, and the next steps would fail forever.
 */
async function retireKeys(accountId: string, deps: ErasureStepDependencies, signal: AbortSignal): Promise<void> {
  const { dataKeys } = deps;
  await dataKeys.retire(accountId);
  const { keyIds } = await findAccountData(accountId, deps, signal);
  await dataKeys.giveUpLost(accountId, keyIds);
}

async function closeAccount(person: ErasedPerson, deps: ErasureStepDependencies, signal: AbortSignal): Promise<void> {
  const { sessions } = deps;
  const commands = createCommandsWithoutPersonalData(deps);
  const { accountId } = person;
  const origin = erasureOrigin(person);
  const { state, revision } = await commands.load(account, accountId);
  const { isRegisteredAgain, standIns, threads } = await findAccountData(accountId, deps, signal);
  for (const standIn of standIns) await commands.execute(account, standIn, closeStandIn, {}, origin);
  // A new account may have been registered since the account was loaded.
  const registeredBy = state?.registeredAt ?? '';
  if (!isRegisteredAgain && revision >= 0)
    await endAccount({ commands, sessions }, accountId, origin, { registeredBy });
  for (const [threadId, before] of threads) {
    signal.throwIfAborted();
    await commands.execute(thread, threadId, deletePostsOfAccount, { accountId, before }, origin);
  }
}

async function removeBlobs(
  person: ErasedPerson,
  data: AccountData,
  deps: ErasureStepDependencies,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const withCommands = { ...deps, commands: createCommandsWithoutPersonalData(deps) };
  return removeBlobsOfAccount(person, data, withCommands, signal);
}

/**
 * Returns the step that removes the remaining data of an erased account, e.g. sessions, mails and jobs. It destroys the
 * keys again, because a process that was disconnected may have stored a key that a failover had lost. The last part of
 * the step verifies the erasure: it searches all places for data of the account. If it finds some, it logs the places,
 * and the step is repeated. It is also repeated while a job about the account is running. Erasures that are at this
 * step at the same time share one search of the queue.
 */
function createTraceStep(deps: ErasureStepDependencies, inSlot: ErasureSlots): ErasureWork {
  const removeShared = shareRuns((owners: readonly ErasedOwner[]) => removeTraces(owners, deps));
  // A repeated attempt keeps the time of the first one. Otherwise, new responses would be found each time.
  const purgeTimes = new LRUCache<string, Date>({ max: 1_000 });
  return async (person, signal) => {
    const prepared = await inSlot(async () => {
      const readAt = await createTraces(deps.pool).readClock();
      const purgedAt = purgeTimes.get(person.receiptId) ?? readAt;
      purgeTimes.set(person.receiptId, purgedAt);
      await deps.dataKeys.destroyRetired(person.accountId);
      const data = await findAccountData(person.accountId, deps, signal);
      const mediaIds = await removeBlobs(person, data, deps, signal);
      const places = await findRemainingData(person, data, mediaIds, deps, signal);
      return { owner: toErasedOwner(person, data, mediaIds, { readAt, purgedAt }), places };
    }, signal);
    if (prepared === 'later') return 'later';
    const places = [...prepared.places, ...(await removeShared(prepared.owner))];
    if (places.length === 0) return 'done';
    deps.log.warn({ accountId: person.accountId, places }, 'data of an erased account remains');
    return 'later';
  };
}
