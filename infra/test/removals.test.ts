import { randomUUID } from 'node:crypto';
import {
  applyRemovalRequest,
  findPost,
  moderationCase,
  PostponedJobError,
  removal,
  thread,
  toCaseId,
  type BlobStore,
  type RemovalRequest,
  type Subject,
} from '@alpenglow/domain';
import { decideRemoval, requestRemoval, withdrawRemoval } from '@alpenglow/domain/deciders';
import { describe, expect, test } from 'vitest';
import { interceptWrites } from '../../tests/support/intercept-writes.ts';
import { createMemoryEventStore } from '../../tests/support/memory-event-store.ts';
import { TEST_ORIGIN } from '../../tests/support/recording.ts';
import { threadStarted } from '../../tests/support/thread-started.ts';
import type { Decoder } from '../src/adapters/decoder/decoder.ts';
import type { Pool } from '../src/adapters/postgres/pool.ts';
import { createCopySearch } from '../src/media/copy-search.ts';
import { createRemovalCopies } from '../src/security/removal-copies.ts';
import type { DataKeys } from '../src/security/personal-data.ts';
import { createRemovalTokens } from '../src/security/removal-tokens.ts';
import { createCommandHandler, type CommandHandler } from '../src/service/command-handler.ts';

const THREADS = 3;
/** Threads have no pictures, so no query, ad or photo is needed. */
const NO_PICTURES = {
  pool: {} as Pool,
  blobs: {} as BlobStore,
  dataKeys: {} as DataKeys,
  decoder: {} as Decoder,
  ads: { ownerOf: () => Promise.resolve(null) },
};

function apply(
  deps: Parameters<typeof createCopySearch>[0] & Omit<Parameters<typeof applyRemovalRequest>[0], 'copies'>,
  requestId: string,
) {
  const { signal } = new AbortController();
  return applyRemovalRequest({ ...deps, copies: createCopySearch(deps) }, requestId, TEST_ORIGIN, signal);
}

type Status = Exclude<RemovalRequest['status'], 'completed'>;

/** A removal request about some threads, and a function that reads the state of everything. */
async function openWorld() {
  const commands = createCommandHandler(createMemoryEventStore());
  const subjects: Subject[] = [];
  for (let index = 0; index < THREADS; index += 1) {
    const threadId = randomUUID();
    await commands.handle(thread, threadId, () => [threadStarted(threadId, `Where? ${index}`)], TEST_ORIGIN);
    subjects.push({ kind: 'thread', id: threadId });
  }
  const request = {
    subjects,
    hidesAtOnce: true,
    name: 'Anna',
    email: 'anna@example.com',
    relation: 'self',
    links: ['/'],
    hashes: [],
    signature: 'Anna',
  } as const;
  const ask = async (hidesAtOnce = true, hashes: readonly string[] = []) => {
    const id = randomUUID();
    const command = { ...request, hidesAtOnce, requestId: id, links: ['/'], hashes: [...hashes] };
    await commands.execute(removal, id, requestRemoval, command, TEST_ORIGIN);
    return id;
  };
  const requestId = await ask();
  return {
    commands,
    subjects,
    ask,
    requestId,
    run: (by: CommandHandler = commands) => apply({ ...NO_PICTURES, commands: by }, requestId),
    async decide(status: Status): Promise<void> {
      if (status === 'withdrawn') await commands.execute(removal, requestId, withdrawRemoval, {}, TEST_ORIGIN);
      if (status === 'open' || status === 'withdrawn') return;
      const decision = { moderatorId: 'mona', outcome: status, facts: 'Because.', ownerIds: [] };
      await commands.execute(removal, requestId, decideRemoval, decision, TEST_ORIGIN);
    },
    /** Returns the status of the request, of the posts and of their cases, and how often each case was decided. */
    async read() {
      const { state } = await commands.load(removal, requestId);
      const contents = [];
      for (const subject of subjects) {
        const post = findPost((await commands.load(thread, subject.id)).state?.posts ?? [], 0);
        const { state: found, revision } = await commands.load(moderationCase, toCaseId(subject));
        const { isOpen, isHidingSubject, decision } = found ?? {};
        contents.push({ post: post?.status, isOpen, isHidingSubject, outcome: decision?.outcome, revision });
      }
      return { status: state?.status, removed: state?.completed?.removed.length, contents };
    },
  };
}

const EXPECTED = {
  open: { post: 'hidden', isOpen: true, isHidingSubject: true, outcome: 'hidden' },
  valid: { post: 'hidden', isOpen: false, isHidingSubject: true, outcome: 'removed' },
  rejected: { post: 'visible', isOpen: false, isHidingSubject: false, outcome: 'kept' },
  withdrawn: { post: 'visible', isOpen: true, isHidingSubject: false, outcome: 'kept' },
} as const;

describe.each(Object.keys(EXPECTED) as Status[])('a request with the status %s', (status) => {
  test('has the same result after an interruption before any write', async () => {
    let interruptions = 0;
    for (let write = 0; ; write += 1) {
      const world = await openWorld();
      if (status !== 'open') await world.run();
      await world.decide(status);
      let writes = 0;
      const killed = interceptWrites(world.commands, () => {
        writes += 1;
        return writes > write ? Promise.reject(new Error('killed')) : Promise.resolve();
      });
      const isComplete = await world.run(killed).then(
        () => true,
        (error: Error) => {
          expect(error.message).toBe('killed');
          return false;
        },
      );
      await world.run();
      const after = await world.read();
      expect(after.status).toBe(status === 'valid' ? 'completed' : status);
      expect(after.removed).toBe(status === 'valid' ? THREADS : undefined);
      for (const content of after.contents) expect(content).toMatchObject(EXPECTED[status]);
      // A repeated run writes nothing.
      await world.run();
      expect(await world.read()).toEqual(after);
      if (isComplete) break;
      interruptions += 1;
    }
    expect(interruptions).toBeGreaterThanOrEqual(THREADS);
  });
});

describe('a request with a content that cannot be written', () => {
  test.each(['open', 'valid', 'rejected'] as const)('and the status %s acts on the others', async (status) => {
    const world = await openWorld();
    if (status !== 'open') await world.run();
    await world.decide(status);
    const before = await world.read();
    const [broken] = world.subjects;
    const isBroken = (id: string) => broken !== undefined && id === toCaseId(broken);
    const failing: CommandHandler = {
      ...world.commands,
      handle: (aggregate, id, ...rest) =>
        isBroken(id) ? Promise.reject(new Error('broken')) : world.commands.handle(aggregate, id, ...rest),
      execute: (aggregate, id, ...rest) =>
        isBroken(id) ? Promise.reject(new Error('broken')) : world.commands.execute(aggregate, id, ...rest),
    };
    await expect(world.run(failing)).rejects.toThrow('broken');
    const after = await world.read();
    expect(after.status).toBe(status);
    expect(after.contents[0]).toEqual(before.contents[0]);
    for (const content of after.contents.slice(1)) expect(content).toMatchObject(EXPECTED[status]);
    await world.run();
    expect((await world.read()).status).toBe(status === 'valid' ? 'completed' : status);
    for (const content of (await world.read()).contents) expect(content).toMatchObject(EXPECTED[status]);
  });
});

test('a valid request without its personal data removes the content, but is completed later', async () => {
  const world = await openWorld();
  await world.run();
  await world.decide('valid');
  const deps = { ...NO_PICTURES, commands: world.commands, mayComplete: false };
  await apply(deps, world.requestId);
  const before = await world.read();
  expect(before.status).toBe('valid');
  for (const content of before.contents) expect(content).toMatchObject(EXPECTED.valid);
  await world.run();
  expect((await world.read()).status).toBe('completed');
});

test('copies in identity checks are recorded when no process of another build runs', async () => {
  const world = await openWorld();
  const hash = '0123456789abcdef'.repeat(4);
  const requestId = await world.ask(true, [hash]);
  const decision = { moderatorId: 'mona', outcome: 'valid', facts: 'Because.', ownerIds: [] } as const;
  await world.commands.execute(removal, requestId, decideRemoval, decision, TEST_ORIGIN);
  let isFree = false;
  const rowsOf = (text: string) => {
    if (text.includes('pg_try_advisory_xact_lock')) return [{ isFree }];
    return text.includes('rm.identity_pictures') ? [{ id: 'c1', accountId: 'anna', hashes: [hash] }] : [];
  };
  const query = (statement: string | { readonly text: string }) =>
    Promise.resolve({ rows: rowsOf(typeof statement === 'string' ? statement : statement.text) });
  const deps = {
    ...NO_PICTURES,
    pool: { query } as unknown as Pool,
    blobs: { remove: () => Promise.resolve() } as unknown as BlobStore,
    commands: world.commands,
  };
  const load = async () => (await world.commands.load(removal, requestId)).state;
  await expect(apply(deps, requestId)).rejects.toThrow(PostponedJobError);
  expect(await load()).toMatchObject({ status: 'valid' });
  expect((await load())?.identityCopies ?? []).toEqual([]);
  for (const content of (await world.read()).contents) expect(content).toMatchObject(EXPECTED.valid);
  isFree = true;
  await apply(deps, requestId);
  expect(await load()).toMatchObject({
    status: 'completed',
    identityCopies: [{ accountId: 'anna', checkId: 'c1' }],
    completed: { identityChecks: 1 },
  });
});

test('a repeated request does not hide again what a moderator has judged', async () => {
  const world = await openWorld();
  await world.run();
  await world.decide('rejected');
  await world.run();
  const again = await world.ask();
  await apply({ ...NO_PICTURES, commands: world.commands }, again);
  for (const content of (await world.read()).contents)
    expect(content).toMatchObject({ post: 'visible', isOpen: true, isHidingSubject: false });
});

test('a request above the limit of a network does not keep content hidden that another one has hidden', async () => {
  const world = await openWorld();
  await world.run();
  const other = await world.ask(false);
  await apply({ ...NO_PICTURES, commands: world.commands }, other);
  await world.decide('rejected');
  await world.run();
  for (const content of (await world.read()).contents) expect(content).toMatchObject(EXPECTED.rejected);
});

test('a second copy can be read only with a secret of this installation', () => {
  const [secret, older, foreign] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];
  const copy = {
    requestId: randomUUID(),
    recoveredFrom: '2026-01-01T00:00:00.000Z',
    relation: 'self',
    subjects: [{ kind: 'ad', id: 'a1' }],
    hidesAtOnce: true,
    name: 'Anna',
    email: 'anna@example.com',
    links: ['/ad/a1'],
    hashes: [],
    signature: 'Anna',
  } as const;
  const text = createRemovalCopies(older).seal({
    ...copy,
    subjects: [...copy.subjects],
    links: ['/ad/a1'],
    hashes: [],
  });
  expect(text).not.toContain('Anna');
  expect(createRemovalCopies(`${secret},${older}`).openAll(`Hello,\n\n${text}\n\nBye`)).toEqual([copy]);
  expect(createRemovalCopies(foreign).openAll(text)).toEqual([null]);
  expect(createRemovalCopies(older).openAll('Hello')).toEqual([]);
});

test('a token opens one private page', () => {
  const tokens = createRemovalTokens('a'.repeat(64));
  const url = tokens.createStatusUrl('https://www.example.org', 'one');
  const [page, token = ''] = url.split('#');
  expect(page).toBe('https://www.example.org/removal/one');
  expect(tokens.matches(token, 'one')).toBe(true);
  expect(tokens.matches(token, 'other')).toBe(false);
});
