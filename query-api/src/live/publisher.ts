import { setImmediate as yieldToEventLoop, setTimeout as pause } from 'node:timers/promises';
import {
  isAdMessage,
  isThreadMessage,
  LogRewound,
  type LiveBatch,
  type LiveMessage,
  type LogMark,
  type Position,
} from '@alpenglow/domain';
import { startSpan } from '@alpenglow/infra';
import { CARD_READ_MODELS } from '../ads/card-view.ts';
import type { Dependencies } from '../dependencies.ts';
import { closeToReload, closeToResume } from './client.ts';
import type { Connections } from './connections.ts';
import type { WaitingHandshakes } from './handshake-limits.ts';
import type { LiveSubjects } from './live-subjects.ts';
import type { PageReads } from './page-reads.ts';
import type { PublishedMessages } from './published-messages.ts';
import type { Recipients } from './recipients.ts';

interface PublisherDependencies extends Dependencies<'feed' | 'store' | 'progress' | 'log'> {
  readonly subjects: LiveSubjects;
  readonly published: PublishedMessages;
  readonly recipients: Pick<Recipients, 'clear' | 'list' | 'publish'>;
  readonly pageReads: Pick<PageReads, 'clear'>;
  readonly connections: Pick<Connections, 'closeAll'>;
  readonly handshakes: Pick<WaitingHandshakes, 'settle'>;
  /** Ends the feed when the process stops. */
  readonly signal: AbortSignal;
}

/** The projections that must contain the change of an ad before the message about this change is sent. */
const LISTS_OF_ADS = CARD_READ_MODELS;
/** The projections that must contain the change of a thread before the message about this change is sent. */
const LISTS_OF_THREADS = ['community_threads', 'community_posts'];
const RETRY_ms = 1_000;
/**
 * The limits on sends and on messages in one turn of the event loop. When a limit is reached, the process handles other
 * work before it continues sending.
 */
const SENDS_PER_TURN = 5_000;
const MESSAGES_PER_TURN = 100;

/**
 * Publishes the messages of the feed until `signal` aborts. Owns the order of messages: they are published one batch
 * after the other, when the read models contain their changes. After a gap in the feed, or if the log was replaced, all
 * clients connect again.
 */
export async function publishFeed(deps: PublisherDependencies): Promise<void> {
  const { feed, store, subjects, published, recipients, connections, handshakes, log, signal } = deps;
  const endsTurn = createTurnLimit();

  async function publishBatch({ after, messages, through, throughId = null, isLogReplaced }: LiveBatch): Promise<void> {
    const head = published.head();
    if (isLogReplaced) startInReplacedLog();
    // The feed has started again, and the log may have been replaced in the meantime.
    else if (head !== null && after < head && !(await isInLog(store, published.lastEvent()))) startInReplacedLog();
    const start = published.head();
    if (start === null || after > start) restartAt(after);
    const spans = messages.map(({ traceparent, type }) =>
      startSpan('live message', traceparent, { kind: 'consumer', attributes: { 'alpenglow.message.type': type } }),
    );
    const [keys] = await Promise.all([
      subjects.findKeys(messages, { isReplay: false, signal }),
      waitForLists(deps, messages),
    ]);
    for (const [index, message] of messages.entries()) {
      const entry = published.add(message, keys[index] ?? null);
      const sends = entry ? recipients.publish(entry) : 0;
      spans[index]?.end({ attributes: { 'alpenglow.message.recipients': sends } });
      if (endsTurn(sends)) await yieldToEventLoop();
    }
    published.advance(through, throughId);
    handshakes.settle();
  }

  /**
   * Closes all connections after the event log was replaced by an older state, e.g. after a failover. The clients may
   * show data of lost events, so they load their data again. The feed then starts again.
   */
  function startInReplacedLog(): void {
    log.warn({ position: published.head() }, 'the event log was replaced by an older state, live clients must reload');
    published.clear();
    connections.closeAll(closeToReload);
    stopSending();
  }

  /**
   * Closes all connections after a gap in the feed. The clients connect again and receive the missing messages from the
   * event store.
   */
  function restartAt(after: Position): void {
    published.restartAt(after);
    for (const { socket } of recipients.list()) closeToResume(socket);
    stopSending();
  }

  function stopSending(): void {
    deps.pageReads.clear();
    recipients.clear();
    subjects.clear();
  }

  while (!signal.aborted) {
    try {
      for await (const batch of feed.follow({ signal })) await publishBatch(batch);
    } catch (error) {
      if (error instanceof LogRewound) startInReplacedLog();
      else log.error({ err: error }, 'live channel lost its feed, retrying');
    }
    await pause(RETRY_ms, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Owns the used fraction of the sends that are allowed in one turn of the event loop. The returned function adds the
 * sends of one message. It returns true if the process must handle other work before the next message.
 */
function createTurnLimit() {
  let usedShare = 0;
  return (sends: number): boolean => {
    usedShare += Math.max(sends / SENDS_PER_TURN, 1 / MESSAGES_PER_TURN);
    if (usedShare < 1) return false;
    usedShare = 0;
    return true;
  };
}

/** Returns true if the event log still contains this event. */
async function isInLog(store: PublisherDependencies['store'], event: LogMark | null): Promise<boolean> {
  return event !== null && (await store.findEventId(event.position, event.id)) === event.id;
}

/** Resolves when the read models contain the changes of the messages, or after `WAIT_POSITION_MS`. */
async function waitForLists(
  { progress, signal }: Pick<PublisherDependencies, 'progress' | 'signal'>,
  messages: readonly LiveMessage[],
): Promise<void> {
  const wait = (lists: readonly string[], last: LiveMessage | undefined) =>
    last ? lists.map((name) => progress.waitFor(name, last.seq as Position, signal)) : [];
  await Promise.all([
    ...wait(LISTS_OF_ADS, messages.findLast(isAdMessage)),
    ...wait(LISTS_OF_THREADS, messages.findLast(isThreadMessage)),
  ]);
}
