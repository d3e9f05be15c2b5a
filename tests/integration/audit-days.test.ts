import { account, START_POSITION } from '@alpenglow/domain';
import { grantRole, registerAccount } from '@alpenglow/domain/deciders';
import {
  createAuditLog,
  createCommandHandler,
  createPool,
  createPostgresEventStore,
  verifyAuditLog,
  type CommandOrigin,
} from '@alpenglow/infra';
import { expect, onTestFinished, test } from 'vitest';
import { createMigratedDatabase } from '../support/database.ts';
import { rootFromProof } from '../support/root-from-proof.ts';

/** The days of the moderation log after an event whose time is far in the future. */

const STAFF: CommandOrigin = { actor: { kind: 'account', accountId: 'staff' }, correlationId: 'test' };
const FUTURE = '2099-06-01';
const at = (day: string) => `${day}T12:00:00.000Z`;

async function openLog() {
  const database = await createMigratedDatabase();
  const pool = createPool({ connectionString: database.connectionString, max: 4, applicationName: 'test' });
  const store = createPostgresEventStore({ pool, connectionString: database.connectionString });
  onTestFinished(async () => {
    await store.close();
    await pool.end();
    await database.drop();
  });
  const commands = createCommandHandler(store);
  const log = createAuditLog(pool);
  /** Writes an event of the moderation log with the time `day`, and adds it to the audit chain on the day `today`. */
  async function addEntry(id: string, day: string, today: string): Promise<void> {
    const person = {
      accountId: id,
      email: `${id}@example.com`,
      passwordHash: null,
      userType: 'client' as const,
      displayName: id,
      age: 30,
      isDemo: true,
    };
    const options = { now: at(day) };
    await commands.execute(account, id, registerAccount, person, STAFF, options);
    await commands.execute(account, id, grantRole, { role: 'moderator', reason: 'Helps' }, STAFF, options);
    const head = await log.head();
    await log.append(head, await store.readAll({ after: head.position || START_POSITION }), today);
  }
  const readDays = async () =>
    (await log.listEntries({ type: 'RoleGranted', actorId: null, before: null, limit: 100 }))
      .toReversed()
      .map(({ entry }) => entry.day);
  const readRoots = async () => (await log.readRoots()).map(({ day, first, last }) => [day, first, last]);
  return { log, store, addEntry, readDays, readRoots };
}

test('an event with a time in the future belongs to the day on which it is chained', async () => {
  const { log, store, addEntry, readDays, readRoots } = await openLog();
  await addEntry('anna', '2026-03-01', '2026-03-02');
  await addEntry('ben', FUTURE, '2026-03-02');
  await addEntry('carla', '2026-03-02', '2026-03-02');
  await addEntry('dora', '2026-03-01', '2026-03-03');
  await addEntry('emil', '2026-03-03', '2026-03-03');
  expect(new Set(await readDays())).toEqual(new Set(['2026-03-01', '2026-03-02', '2026-03-03']));
  await log.sealDaysBefore('2026-03-04');
  expect((await readRoots()).map(([day]) => day)).toEqual(['2026-03-01', '2026-03-02', '2026-03-03']);
  expect((await verifyAuditLog({ store, log })).problems).toEqual([]);
});

test('a log with a day in the future gets daily roots again, and published days stay unchanged', async () => {
  const { log, store, addEntry, readDays, readRoots } = await openLog();
  await addEntry('anna', '2026-03-01', '2026-03-01');
  // An earlier release used the time of the event, and then stored the root of the day that had not ended.
  await addEntry('ben', FUTURE, FUTURE);
  await log.sealDaysBefore(FUTURE);
  const published = await readRoots();
  expect(published.map(([day]) => day)).toEqual(['2026-03-01']);

  await addEntry('carla', '2026-03-01', '2026-03-01');
  await addEntry('dora', '2026-03-03', '2026-03-03');
  const days = await readDays();
  expect(days.filter((day) => day !== FUTURE)).toEqual(['2026-03-01', '2026-03-02', '2026-03-03']);
  await log.sealDaysBefore('2026-03-04');
  expect((await readRoots()).slice(0, published.length)).toEqual(published);
  expect((await readRoots()).map(([day]) => day)).toEqual(['2026-03-01', '2026-03-02', '2026-03-03']);

  // On the day in the future, the numbers of its entries have a gap.
  await addEntry('emil', FUTURE, FUTURE);
  await log.sealDaysBefore('2099-06-02');
  expect((await verifyAuditLog({ store, log })).problems).toEqual([]);
  const [last] = await log.listEntries({ type: 'RoleGranted', actorId: null, before: null, limit: 1 });
  const proof = await log.findProof(last?.entry.eventId ?? '');
  expect(proof?.root.day).toBe(FUTURE);
  expect(proof && last && rootFromProof(last.hash, proof.steps).equals(proof.root.root)).toBe(true);
});
