import { randomUUID } from 'node:crypto';
import { toStreamId, listing, type EventStore } from '@alpenglow/domain';
import { createDataKeys, withPersonalData, type PoolClient } from '@alpenglow/infra';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPostgresEventStore, type PostgresEventStoreFixture } from '../tests/support/postgres-event-store.ts';
import { createLogCopy, type ReadLogChanges } from './log-copy.ts';

const SECRET = 'ab'.repeat(32);

let opened: PostgresEventStoreFixture;
let store: EventStore;
let client: PoolClient;
let copy: ReadLogChanges;

beforeEach(async () => {
  opened = await openPostgresEventStore();
  store = withPersonalData(opened.store, createDataKeys(opened.pool, SECRET));
  client = await opened.pool.connect();
  copy = createLogCopy({ kind: 'postgres', connectionString: '' });
});
afterEach(async () => {
  client.release();
  await opened.close();
});

const read = () => copy(client, createDataKeys(opened.pool, SECRET));

async function review(reviewerId: string): Promise<void> {
  const meta = { correlationId: 'test', causationId: null, actor: { kind: 'system', name: 'test' } } as const;
  const data = {
    accountId: 'owner',
    adId: 'ad',
    reviewerId,
    reviewId: randomUUID(),
    name: 'Anna',
    comment: '',
    rating: 5,
  };
  const event = { id: randomUUID(), type: 'AdReviewed', version: 1, data, meta: { ...meta, at: new Date().toJSON() } };
  await store.append(toStreamId(listing, 'owner'), [event], { expectedRevision: 'any' });
}
const namesOf = ({ entries }: Awaited<ReturnType<typeof read>>) =>
  entries.map(({ event }) => (event.data as { name?: string }).name);

test('each call adds the new events and returns the same decrypted ones', async () => {
  await review('a');
  const first = await read();
  expect(first.isReplaced).toBe(true);
  expect(namesOf(first)).toEqual(['Anna']);
  await review('b');
  const second = await read();
  expect(namesOf(second)).toEqual(['Anna', 'Anna']);
  expect(second).toMatchObject({ isReplaced: false, changed: [] });
  expect(second.entries[0]?.event).toBe(first.entries[0]?.event);
  expect(second.entries.map(({ at }) => at)).toEqual([1n, 2n]);
});

test('an event whose key was destroyed or lost is decrypted again', async () => {
  for (const reviewer of ['a', 'b', 'c']) await review(reviewer);
  const before = await read();
  await client.query(`update auth.data_keys set wrapped_key = null, destroyed_at = now() where account_id like 'b~%'`);
  await client.query(`delete from auth.data_keys where account_id like 'c~%'`);
  const { entries, changed } = await read();
  expect(changed.map((change) => change.before)).toEqual(before.entries.slice(1).map(({ event }) => event));
  expect(changed.map(({ after }) => after)).toEqual(entries.slice(1).map(({ event }) => event));
  expect((entries[0]?.event.data as { name: string }).name).toBe('Anna');
  expect((entries[1]?.event.data as { name: string }).name).not.toBe('Anna');
  expect(entries[2]?.event.unreadable).toContain('missing');
  expect(await read()).toMatchObject({ changed: [] });
});

test('the whole log is read again after it has lost events', async () => {
  for (const reviewer of ['a', 'b']) await review(reviewer);
  await read();
  await client.query(`set session_replication_role = replica; delete from es.events where position = 2`);
  const shorter = await read();
  expect(shorter).toMatchObject({ isReplaced: true, changed: [] });
  expect(shorter.entries).toHaveLength(1);
  await client.query(`update es.events set id = gen_random_uuid()`);
  expect((await read()).isReplaced).toBe(true);
});
