import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  thread,
  type Position,
  type SyncAnswer,
  type ThreadEvent,
  type ThreadPlace,
  type ThreadState,
} from '@alpenglow/domain';
import { v7 as uuidv7 } from 'uuid';
import { BY_TEST, type Recording } from './recording.ts';

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

/** As many events as an append may hold. */
const APPENDED_AT_ONCE = 500;
const LOOK_EVERY_ms = 20;
const LAS_VEGAS: ThreadPlace = { country: 'us', state: 'NV', city: 'Las Vegas' };

/** Records threads beside a product that runs: of members who need wait for nothing. What a test says nothing about is made up. */
export function threadRecorder({ commands }: Pick<Recording, 'commands'>) {
  /** What else may happen to a thread. Answers what reads wait for. */
  async function happen(
    threadId: string,
    decide: (state: ThreadState) => readonly ThreadEvent[],
    at?: string,
  ): Promise<Position> {
    const { position } = await commands.handle(
      thread,
      threadId,
      (state) => decide(state),
      BY_TEST,
      at === undefined ? {} : { now: at },
    );
    if (position === null) throw new Error(`Nothing has happened to thread ${threadId}`);
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

  /** Posts replies in their order, from the number `from` on. */
  async function reply(
    threadId: string,
    from: number,
    replies: readonly ReplyToRecord[],
    at?: string,
  ): Promise<Position> {
    let position: Position | null = null;
    for (let begun = 0; begun < replies.length; begun += APPENDED_AT_ONCE) {
      const events = replies.slice(begun, begun + APPENDED_AT_ONCE).map(
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
    if (position === null) throw new Error('No reply to post');
    return position;
  }

  return { happen, start, reply };
}
export type ThreadRecorder = ReturnType<typeof threadRecorder>;

/** Waits until every read model of a product has come to a position: longer than a read does, for a machine that is busy. */
export async function untilRead(url: string, position: string): Promise<void> {
  for (;;) {
    const { data } = (await (await fetch(`${url}/api/sync/status`)).json()) as SyncAnswer;
    // Positions are ordered as text.
    if (data.projections.every((one) => one.position >= position)) return;
    await pause(LOOK_EVERY_ms);
  }
}
