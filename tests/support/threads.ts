import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  thread,
  type Position,
  type ResponseOf,
  type ThreadEvent,
  type ThreadPlace,
  type ThreadState,
  type Decision,
} from '@alpenglow/domain';
import { v7 as uuidv7 } from 'uuid';
import { TEST_ORIGIN, type Recording } from './recording.ts';

export interface RecordedThread {
  readonly id: string;
  readonly position: Position;
}

export interface ThreadToRecord {
  readonly id?: string;
  readonly accountId?: string;
  readonly place?: Partial<ThreadPlace>;
  readonly title?: string;
  readonly body?: string;
  readonly at?: string;
}

export interface ReplyToRecord {
  readonly accountId?: string;
  readonly body: string;
  readonly quotedNumber?: number | null;
}

/** Maximum number of events in one append. */
const MAX_EVENTS_PER_APPEND = 500;
const POLL_INTERVAL_ms = 20;
const LAS_VEGAS: ThreadPlace = { country: 'us', state: 'NV', city: 'Las Vegas' };

/**
 * Creates a recorder that appends community threads directly to the event store of a running product. The limits for
 * new members therefore do not apply. Omitted values have defaults.
 */
export function threadRecorder({ commands }: Pick<Recording, 'commands'>) {
  /** Appends the events that `decide` returns to a thread. Returns the position of the last event in the event log. */
  async function happen(threadId: string, decide: Decision<ThreadState, ThreadEvent>, at?: string): Promise<Position> {
    const { position } = await commands.handle(
      thread,
      threadId,
      decide,
      TEST_ORIGIN,
      at === undefined ? {} : { now: at },
    );
    if (position === null) throw new Error(`The decision about thread ${threadId} returned no events`);
    return position;
  }

  async function start({
    id = uuidv7(),
    accountId = 'nobody',
    place,
    title = 'Quiet places',
    body = 'Where do you like to go?',
    at,
  }: ThreadToRecord = {}): Promise<RecordedThread> {
    const started: ThreadEvent = {
      type: 'ThreadStarted',
      data: {
        threadId: id,
        accountId,
        admissionId: randomUUID(),
        ...LAS_VEGAS,
        ...place,
        title,
        body,
        fingerprint: randomUUID(),
      },
    };
    return { id, position: await happen(id, () => [started], at) };
  }

  /** Appends replies in order. The first reply has the number `from`. */
  async function reply(
    threadId: string,
    from: number,
    replies: readonly ReplyToRecord[],
    at?: string,
  ): Promise<Position> {
    let position: Position | null = null;
    for (let begun = 0; begun < replies.length; begun += MAX_EVENTS_PER_APPEND) {
      const events = replies.slice(begun, begun + MAX_EVENTS_PER_APPEND).map(
        ({ accountId = 'nobody', body, quotedNumber = null }, index): ThreadEvent => ({
          type: 'ReplyPosted',
          data: {
            threadId,
            number: from + begun + index,
            accountId,
            admissionId: randomUUID(),
            body,
            fingerprint: randomUUID(),
            quotedNumber,
          },
        }),
      );
      position = await happen(threadId, () => events, at);
    }
    if (position === null) throw new Error('There are no replies to post');
    return position;
  }

  return { happen, start, reply };
}
export type ThreadRecorder = ReturnType<typeof threadRecorder>;

/**
 * Waits until every read model of a product has processed all events that are stored now. There is no time limit,
 * because the machine may be busy.
 */
export async function waitForReadModels(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/api/sync/force`, { method: 'POST' });
    if (!response.ok) throw new Error(`The sync returned ${response.status}`);
    const { data } = (await response.json()) as ResponseOf<'forceSync'>;
    if (data.projections.every(({ state }) => state === 'live')) return;
    await pause(POLL_INTERVAL_ms);
  }
}
