import { findLiveKeys, isAdMessage, type LiveMessage, type LiveSubject, type Position } from '@alpenglow/domain';
import { AD_OWNERS, COMMUNITY_THREADS, type SelectedRow } from '@alpenglow/infra';
import { LRUCache } from 'lru-cache';
import type { Dependencies } from '../dependencies.ts';

/** The keys of the topics that a message concerns. Null if they are unknown, so that it concerns every topic. */
export type LiveKeys = readonly string[] | null;

/** The read models that contain the subjects. Each row of an ad names all places in which the ad was listed so far. */
const AD_SUBJECTS = 'ad_owners';
const THREAD_SUBJECTS = 'community_threads';
const AD = AD_OWNERS.select(['ad_id', 'account_id', 'places']);
const THREAD = COMMUNITY_THREADS.select(['thread_id', 'account_id', 'country', 'state', 'city']);
const MAX_CACHED = 20_000;

interface FindKeysOptions {
  /** True if the messages were published before. */
  readonly isReplay: boolean;
  readonly signal: AbortSignal;
}

export type LiveSubjects = ReturnType<typeof createLiveSubjects>;

/**
 * Finds out which topics a live message concerns. A message does not contain the place of its ad or thread, so the
 * place is read from a read model.
 */
export function createLiveSubjects({ pool, progress, log }: Dependencies<'pool' | 'progress' | 'log'>) {
  /** The keys by the id of the ad or thread. They are current up to the last published message. */
  const cache = new LRUCache<string, readonly string[]>({ max: MAX_CACHED });

  /**
   * Waits until a read model contains the last of these messages. Returns false after `WAIT_POSITION_MS`. A replay does
   * not wait for a read model that is behind, because it holds one of the few slots for reads of the event store.
   */
  async function isCurrent(
    readModel: string,
    last: LiveMessage | undefined,
    { isReplay, signal }: FindKeysOptions,
  ): Promise<boolean> {
    return !last || (await progress.waitFor(readModel, last.seq as Position, signal, isReplay ? 0 : undefined));
  }

  async function readAds(ids: readonly string[]): Promise<(readonly [id: string, subject: LiveSubject])[]> {
    if (ids.length === 0) return [];
    const { rows } = await pool.query<SelectedRow<typeof AD>>({
      name: 'live-ads',
      text: `select ${AD} from ${AD_OWNERS.table} where ad_id = any($1)`,
      values: [ids],
    });
    return rows.map(({ ad_id, account_id, places }) => [ad_id, { accountId: account_id, places }]);
  }

  async function readThreads(ids: readonly string[]): Promise<(readonly [id: string, subject: LiveSubject])[]> {
    if (ids.length === 0) return [];
    const { rows } = await pool.query<SelectedRow<typeof THREAD>>(
      `select ${THREAD} from ${COMMUNITY_THREADS.table} where thread_id = any($1)`,
      [ids],
    );
    return rows.map(({ thread_id, account_id, ...place }) => [thread_id, { accountId: account_id, ...place }]);
  }

  /**
   * Returns the keys of each message, in their order. If a subject cannot be read, or the read models are too far
   * behind, the keys of its messages are null.
   */
  async function findKeys(messages: readonly LiveMessage[], options: FindKeysOptions): Promise<readonly LiveKeys[]> {
    const { isReplay } = options;
    if (!isReplay) for (const message of messages) if (changesPlace(message)) cache.delete(idOf(message));
    const unknown = messages.filter((message) => !cache.has(idOf(message)));
    const subjects = new Map<string, LiveSubject>();
    try {
      const [adsAreCurrent, threadsAreCurrent] = await Promise.all([
        isCurrent(AD_SUBJECTS, unknown.findLast(isAdMessage), options),
        isCurrent(
          THREAD_SUBJECTS,
          unknown.findLast((message) => !isAdMessage(message)),
          options,
        ),
      ]);
      const idsOf = (isAd: boolean) => [
        ...new Set(unknown.filter((message) => isAdMessage(message) === isAd).map(idOf)),
      ];
      const [ads, threads] = await Promise.all([
        readAds(adsAreCurrent ? idsOf(true) : []),
        readThreads(threadsAreCurrent ? idsOf(false) : []),
      ]);
      for (const [id, subject] of [...ads, ...threads]) subjects.set(id, subject);
    } catch (error) {
      log.warn({ err: error }, 'places of live messages could not be read, they are sent to all clients');
    }
    return messages.map((message) => {
      const id = idOf(message);
      const cached = cache.get(id);
      // The earlier place of a moved thread is unknown. `findLiveKeys` returns null for the message, i.e. every topic.
      if (cached && !isMove(message)) return cached;
      const keys = findLiveKeys(message, subjects.get(id) ?? null);
      // A replay may read a row that lacks the changes of messages that were published meanwhile.
      if (keys && !isReplay) cache.set(id, keys);
      return keys;
    });
  }

  return {
    findKeys,
    /** Forgets the cached places, because the process has missed messages. */
    clear: (): void => cache.clear(),
  };
}

const idOf = (message: LiveMessage): string => (isAdMessage(message) ? message.adId : message.threadId);

const isMove = (message: LiveMessage): boolean => message.type === 'thread_changed' && message.threadPlace !== null;

/** Returns true if the subject may be in another place after this message. */
const changesPlace = (message: LiveMessage): boolean => message.type === 'ad_updated' || isMove(message);
