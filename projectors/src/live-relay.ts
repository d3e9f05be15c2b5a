import {
  NewerEventVersionError,
  LIVE_EVENT_TYPES,
  toFeedMessage,
  type LivePublisher,
  type LogMark,
  type RecordedEvent,
  type RelayBatch,
} from '@alpenglow/domain';
import { startSpan, unlessAborted, waitUnlessAborted, type Logger, type Pool } from '@alpenglow/infra';
import type { Dependencies } from './dependencies.ts';
import { followLog, type LogConsumer } from './follow-log.ts';

export const LIVE_RELAY_DUTY = 'relay-live';

interface LiveRelayDependencies extends Dependencies<'store' | 'pool' | 'log'> {
  readonly publisher: LivePublisher;
  /**
   * After this time without an event, the relay publishes an empty batch, so that readers receive the current position
   * of the relay in the event log. Default: 10 s.
   */
  readonly idle_ms?: number;
}

const IDLE_ms = 10_000;

/**
 * Publishes the events for the live channel from the event store to the feeds of other processes, until `signal`
 * aborts. The first run starts at the end of the event log. Rejects if the store, the database or the publisher fails.
 * The duty is then started again. A batch is published before the checkpoint moves. After a failure, a batch may
 * therefore be published twice, which has no effect on its readers.
 */
export async function runLiveRelay(
  { publisher, idle_ms = IDLE_ms, ...deps }: LiveRelayDependencies,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const ended = AbortSignal.any([signal, failed.signal]);
  /** The event up to which messages are published. Null before the first batch. */
  let published: LogMark | null = null;
  let run = '';
  let publishedAt_ms = 0;

  /**
   * Publishes a batch. Returns false if the signal aborts first. The publisher may wait for its backing service for a
   * long time, and meanwhile another process may take over this duty. The relay then stops waiting.
   */
  async function publish(after: LogMark, messages: RelayBatch['messages'], through: LogMark): Promise<boolean> {
    const batch = { after: after.position, messages, through: through.position, throughId: through.id, run };
    const isDone = await unlessAborted(
      publisher.publish(batch).then(() => true),
      ended,
    );
    [published, publishedAt_ms] = [through, performance.now()];
    return isDone === true;
  }

  async function publishIdleBatches(): Promise<void> {
    while (!ended.aborted) {
      const left_ms = publishedAt_ms + idle_ms - performance.now();
      if (published === null || left_ms > 0) await waitUnlessAborted(published === null ? idle_ms : left_ms, ended);
      else await publish(published, [], published);
    }
  }

  const consumer: LogConsumer = {
    name: LIVE_RELAY_DUTY,
    types: LIVE_EVENT_TYPES,
    start: () => deps.store.readHead(),
    async onStart(begin) {
      // Readers check at the start of a run whether the event log was replaced since the previous run.
      run = await nameRun(deps.pool);
      await publish(begin, [], begin);
    },
    async handle(events, through) {
      const { messages, endSpans } = traceRelay(messagesOf(events, deps.log));
      let isDone = false;
      try {
        isDone = await publish(published ?? through, messages, through);
      } finally {
        endSpans(!isDone);
      }
      return isDone ? {} : null;
    },
  };
  const endBoth = (error: unknown) => {
    failed.abort();
    throw error;
  };
  const following = followLog(consumer, deps, ended).finally(() => failed.abort());
  await Promise.all([following, publishIdleBatches().catch(endBoth)]);
}

/**
 * Returns a name that sorts after the names of earlier runs. It begins with the time of the database, which all relays
 * share. After a promotion, the clock of the new server may be behind that of the earlier one, and readers would ignore
 * the new run. The time is therefore at least that of the last change of the checkpoint, which is never moved back.
 */
async function nameRun(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ begunAt: Date }>(
    `update rm.checkpoints
        set updated_at = greatest(clock_timestamp(), date_trunc('milliseconds', updated_at) + interval '1 ms')
      where name = $1 returning updated_at as "begunAt"`,
    [LIVE_RELAY_DUTY],
  );
  const [row] = rows;
  if (!row) throw new Error('The live relay has no checkpoint');
  return `${row.begunAt.toISOString()} ${crypto.randomUUID()}`;
}

function messagesOf(events: readonly RecordedEvent[], log: Logger): RelayBatch['messages'] {
  return events.flatMap((recorded) => {
    const message = messageOf(recorded, log);
    return message ? [{ stream: recorded.stream, message }] : [];
  });
}

function messageOf(recorded: RecordedEvent, log: Logger): RelayBatch['messages'][number]['message'] | null {
  try {
    return toFeedMessage(recorded);
  } catch (error) {
    // The event needs a newer build. This relay therefore stops with the error, and a relay of the newer build will
    // publish the event.
    if (error instanceof NewerEventVersionError) throw error;
    log.error(
      { err: error, position: recorded.position, type: recorded.type },
      'live event not published: it cannot be read',
    );
    return null;
  }
}

/** Begins a span for each message whose trace is recorded. The messages then continue these spans. */
function traceRelay(messages: RelayBatch['messages']) {
  const spans: NonNullable<ReturnType<typeof startSpan>>[] = [];
  const traced = messages.map(({ stream, message }) => {
    const span = startSpan('relay', message.traceparent, { kind: 'producer' });
    if (span === null) return { stream, message };
    spans.push(span);
    return { stream, message: { ...message, traceparent: span.traceparent } };
  });
  const endSpans = (hasFailed: boolean) => {
    for (const span of spans) span.end({ hasFailed });
  };
  return { messages: traced, endSpans };
}
