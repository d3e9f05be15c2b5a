import { EventStoreUnavailable, type AppendResult, type StreamId } from '@alpenglow/domain';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { anEvent } from '../../tests/support/events.ts';
import { checkAppend } from '../src/adapters/event-store-input.ts';
import { createAppender } from '../src/adapters/eventstoredb/appender.ts';
import { createOwnEvents } from '../src/adapters/eventstoredb/envelope.ts';
import { createEventIdCache } from '../src/adapters/eventstoredb/event-id-cache.ts';
import { toPosition } from '../src/adapters/eventstoredb/positions.ts';
import type { Reader } from '../src/adapters/eventstoredb/reader.ts';

afterEach(() => vi.useRealTimers());

/** Creates an appender whose appends get their responses from `respond`. Each sent append is added to `sent`. */
function createTestAppender(respond: (number: number) => Promise<AppendResult>) {
  const sent: string[] = [];
  const batches = {
    append({ events }: { readonly events: readonly { readonly id: string }[] }) {
      sent.push(...events.map(({ id }) => id));
      return respond(sent.length);
    },
  };
  const client = {
    appendToStream() {
      throw new Error('No append of these tests is sent alone');
    },
  } as unknown as EventStoreDBClient;
  const reader = { readStreamIds: async () => [] } as unknown as Reader;
  return { sent, appender: createAppender(client, reader, createEventIdCache(), batches, createOwnEvents('')) };
}

const toResult = (revision: number): AppendResult => ({
  revision,
  position: toPosition({ commit: BigInt(revision), prepare: BigInt(revision) }),
});

describe('an append that waits for an earlier append to its stream', () => {
  it.each([
    ['is sent if the earlier append ends in time', 9_000, true],
    ['is not sent if its time is over', 10_000, false],
  ])('%s', async (_, wait_ms, isSent) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    let endFirst: (result: AppendResult) => void = () => undefined;
    const { appender, sent } = createTestAppender((number) =>
      number === 1 ? new Promise((resolve) => (endFirst = resolve)) : Promise.resolve(toResult(number - 1)),
    );
    const events = [anEvent(), anEvent()];
    const [first, second] = events.map((event) => appender.append(checkAppend('s-1' as StreamId, [event], 'any')));
    const settled = second?.catch((error: unknown) => error);
    await expect.poll(() => sent).toHaveLength(1);
    vi.setSystemTime(Date.now() + wait_ms);
    endFirst(toResult(0));
    expect(await first).toEqual(toResult(0));
    if (isSent) expect(await settled).toEqual(toResult(1));
    else expect(await settled).toBeInstanceOf(EventStoreUnavailable);
    expect(sent).toEqual(events.slice(0, isSent ? 2 : 1).map(({ id }) => id));
  });
});
