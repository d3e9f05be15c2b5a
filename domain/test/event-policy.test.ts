import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { defineEvent } from '../src/event-definition.ts';
import { EVENT_DEFINITIONS } from '../src/events.ts';

describe('the policy of an event', () => {
  const shape = { version: 1, schema: z.object({ accountId: z.string(), note: z.string() }) };
  const policy = { personalFields: {}, secretFields: [], moderationLog: 'never', disclosedTo: 'nobody' } as const;
  const { personalFields, secretFields, moderationLog, disclosedTo } = policy;

  test('has no defaults, so an event without a part of the policy does not compile', () => {
    expect(defineEvent('Complete', { ...shape, ...policy })).toMatchObject(policy);
    // @ts-expect-error `personalFields` is missing.
    defineEvent('NoPersonal', { ...shape, secretFields, moderationLog, disclosedTo });
    // @ts-expect-error `secretFields` is missing.
    defineEvent('NoSecrets', { ...shape, personalFields, moderationLog, disclosedTo });
    // @ts-expect-error `moderationLog` is missing.
    defineEvent('NoLog', { ...shape, personalFields, secretFields, disclosedTo });
    // @ts-expect-error `disclosedTo` is missing.
    defineEvent('NoDisclosure', { ...shape, personalFields, secretFields, moderationLog });
  });

  test('names only fields that the event has', () => {
    // @ts-expect-error The event has no field `hash`.
    defineEvent('UnknownSecret', { ...shape, ...policy, secretFields: ['hash'] });
    // @ts-expect-error The event has no field `readerId`.
    defineEvent('UnknownReader', { ...shape, ...policy, disclosedTo: { accountIn: 'readerId' } });
    // @ts-expect-error The event has no field `hash`.
    defineEvent('UnknownPersonal', { ...shape, ...policy, personalFields: { hash: '' } });
  });

  /**
   * The entries of the moderation log form a hash chain, and hashes of the chain are published, so stored entries must
   * not change. The policy of an event type decides whether its events are entries. Therefore, this test fails when the
   * policy of an existing event type changes.
   */
  test('decides which events are in the moderation log', () => {
    const types = (rule: unknown) =>
      EVENT_DEFINITIONS.filter((one) => JSON.stringify(one.moderationLog) === JSON.stringify(rule)).map(
        ({ type }) => type,
      );
    expect(types('by-others')).toEqual(['AccountClosed', 'AdDeleted']);
    expect(types({ sinceVersion: 2 })).toEqual(['JobRetried', 'JobRemoved', 'DeadJobsRetried']);
    expect(types('never').filter((type) => /^(?:Article|Case|Appeal|Role|Identity|LegalHold)/u.test(type))).toEqual([]);
    expect(types('always')).toHaveLength(66);
  });
});
