import { randomUUID } from 'node:crypto';
import { MailRejected, MailUnavailable, removal, UnreadableEventError, type Mail } from '@alpenglow/domain';
import { requestRemoval } from '@alpenglow/domain/deciders';
import { createCommandHandler, createLogger, createRemovalCopies, type CommandHandler } from '@alpenglow/infra';
import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ItemsFailed } from '../../workers/src/attempt-each.ts';
import { mailCopyToOperator, mailRemovalCopies, OWN_MAILS_PER_HOUR_MAX } from '../../workers/src/removal-copies.ts';
import { createTestPool, createWorkDatabase, type TestDatabase } from '../support/database.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';
import { TEST_ORIGIN } from '../support/recording.ts';

/** The number of mails to the operator is limited, and every removal request is in one of them. */

let database: TestDatabase;
let pool: Pool;
let commands: CommandHandler;
let sent: Mail[];
/** Errors with which the next mails fail. */
let failures: Error[];

const removalCopies = createRemovalCopies('a'.repeat(64));
const log = createLogger('silent');

beforeAll(async () => {
  database = await createWorkDatabase();
  pool = createTestPool(database.connectionString, 4);
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});
beforeEach(async () => {
  await pool.query('delete from jobs.removal_copies');
  commands = createCommandHandler(createMemoryEventStore());
  [sent, failures] = [[], []];
});

const dependencies = (by = commands) => ({
  pool,
  commands: by,
  mail: {
    send: (mail: Mail) => {
      const error = failures.shift();
      if (error) return Promise.reject(error);
      // A mail with an id is sent once.
      if (!sent.some(({ id }) => id === mail.id)) sent.push(mail);
      return Promise.resolve();
    },
  },
  site: 'https://www.example.org',
  operatorEmail: 'admin@example.com',
  removalCopies,
  log,
});

async function ask(links: readonly string[] = ['/ad/1']): Promise<string> {
  const requestId = randomUUID();
  const command = {
    requestId,
    subjects: [],
    hidesAtOnce: true,
    name: 'Anna',
    email: 'anna@example.com',
    relation: 'self',
    links: [...links],
    hashes: [],
    signature: 'Anna',
  } as const;
  await commands.execute(
    removal,
    requestId,
    requestRemoval,
    { ...command, links: [...links], hashes: [] },
    TEST_ORIGIN,
  );
  return requestId;
}
async function mailCopy(requestId: string): Promise<void> {
  const { state } = await commands.load(removal, requestId);
  if (state) await mailCopyToOperator(dependencies(), state);
}
async function askMany(count: number, links?: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await ask(links));
  await Promise.all(ids.map(mailCopy));
  return ids;
}
const mailWaiting = (by = commands) => mailRemovalCopies(dependencies(by), Date.now(), new AbortController().signal);
const copiesIn = (mails: readonly Mail[]) =>
  mails.flatMap(({ text }) => removalCopies.openAll(text).map((copy) => copy?.requestId));

describe('after many requests within an hour', () => {
  test('the further ones are in one mail, and every request is in a mail', async () => {
    const ids = await askMany(OWN_MAILS_PER_HOUR_MAX + 5);
    expect(sent).toHaveLength(OWN_MAILS_PER_HOUR_MAX);
    // A repeated job sends no other mail.
    await Promise.all(ids.map(mailCopy));
    expect(sent).toHaveLength(OWN_MAILS_PER_HOUR_MAX);
    await mailWaiting();
    expect(sent).toHaveLength(OWN_MAILS_PER_HOUR_MAX + 1);
    expect(sent.at(-1)?.subject).toMatch(/^5 removal requests, decide the first by /u);
    expect(copiesIn(sent).sort()).toEqual([...ids].sort());
    await mailWaiting();
    expect(sent).toHaveLength(OWN_MAILS_PER_HOUR_MAX + 1);
  });

  test('an hour later, requests have their own mails again', async () => {
    await askMany(OWN_MAILS_PER_HOUR_MAX);
    await pool.query(`update jobs.removal_copies set claimed_at = claimed_at - interval '61 minutes'`);
    await askMany(1);
    expect(sent).toHaveLength(OWN_MAILS_PER_HOUR_MAX + 1);
  });

  test('large copies are distributed over several mails', async () => {
    await askMany(OWN_MAILS_PER_HOUR_MAX);
    const link = `/ad/${'a'.repeat(1_900)}`;
    const ids = await askMany(
      9,
      Array.from({ length: 50 }, () => link),
    );
    await mailWaiting();
    const digests = sent.slice(OWN_MAILS_PER_HOUR_MAX);
    expect(digests).toHaveLength(2);
    expect(Math.max(...digests.map(({ text }) => text.length))).toBeLessThan(1_200_000);
    expect(copiesIn(digests).sort()).toEqual([...ids].sort());
  });
});

describe('a mail with several copies', () => {
  test('is sent once if a process ends after the mail is sent, or before', async () => {
    const ids = await askMany(OWN_MAILS_PER_HOUR_MAX + 3);
    failures = [new MailUnavailable('no server')];
    await expect(mailWaiting()).rejects.toThrow('no server');
    const [before] = (
      await pool.query<{ mail_id: string }>(`select distinct mail_id from jobs.removal_copies where sent_at is null`)
    ).rows;
    await mailWaiting();
    expect(sent.at(-1)?.id).toBe(before?.mail_id);
    // As if the process had ended before it recorded the mail.
    await pool.query('update jobs.removal_copies set sent_at = null where mail_id = $1', [before?.mail_id]);
    await mailWaiting();
    expect(sent).toHaveLength(OWN_MAILS_PER_HOUR_MAX + 1);
    expect(copiesIn(sent).sort()).toEqual([...ids].sort());
  });

  test('is replaced by another one if it is rejected', async () => {
    const ids = await askMany(OWN_MAILS_PER_HOUR_MAX + 3);
    failures = [new MailRejected('too large')];
    await expect(mailWaiting()).rejects.toThrow('too large');
    await mailWaiting();
    expect(copiesIn(sent).sort()).toEqual([...ids].sort());
  });

  test('contains requests whose own mail was not sent within an hour', async () => {
    const id = await ask();
    failures = [new MailRejected('blocked')];
    await expect(mailCopy(id)).rejects.toThrow('blocked');
    await mailWaiting();
    expect(sent).toEqual([]);
    await pool.query(`update jobs.removal_copies set claimed_at = claimed_at - interval '61 minutes'`);
    await mailWaiting();
    expect(copiesIn(sent)).toEqual([id]);
  });

  test('contains the readable requests, and the others follow', async () => {
    const ids = await askMany(OWN_MAILS_PER_HOUR_MAX + 3);
    const unreadable = ids.find((id) => !copiesIn(sent).includes(id)) ?? '';
    const failing: CommandHandler = {
      ...commands,
      load: (aggregate, id) =>
        id === unreadable ? Promise.reject(new UnreadableEventError('no key')) : commands.load(aggregate, id),
    };
    await expect(mailWaiting(failing)).rejects.toThrow(ItemsFailed);
    expect(copiesIn(sent)).toHaveLength(ids.length - 1);
    await mailWaiting();
    expect(copiesIn(sent).sort()).toEqual([...ids].sort());
  });
});
