import { computeFingerprint } from '@alpenglow/command-api';
import {
  account,
  helpful,
  findPost,
  thread,
  type Member,
  type PostContent,
  type ThreadEvent,
  type ThreadState,
  type DecisionContext,
} from '@alpenglow/domain';
import { markHelpful, pinThread, replyToThread, startThread } from '@alpenglow/domain/deciders';
import { renderMarkdown, type CommandHandler, type CommandOrigin } from '@alpenglow/infra';
import { v5 as uuidv5 } from 'uuid';
import { demoAds } from './demo-ads.ts';
import { demoThreads, type DemoReply, type DemoThread } from './demo-threads.ts';
import type { SeedDependencies } from './seed-demo.ts';

/** UUID namespace for the ids of demo threads and posts, so that these ids are the same in every installation. */
const NAMESPACE = '6d9a2f0e-41f7-4c0b-9b7e-2f7d3f0f8a51';
const origin: CommandOrigin = { actor: { kind: 'system', name: 'seed' }, correlationId: 'seed' };

/** Posts that each demo account marks as helpful. The key is the id of the account. */
type Marks = Map<string, MarkedPost[]>;

interface MarkedPost {
  readonly threadId: string;
  readonly number: number;
  readonly authorId: string;
}

/**
 * Posts the demo threads with replies, quotes and helpful marks. The authors are accounts that have posted demo ads and
 * are not closed. After an interruption, the next call posts only what is missing. Changes by moderators are not
 * reverted. `seedDemo` must be called first, because it creates the accounts.
 */
export async function seedCommunity(deps: SeedDependencies): Promise<void> {
  const now_ms = Date.now();
  const posters = demoAds().map(({ email }) => email);
  const accounts = new Map<number, Promise<string | null>>();
  /** Returns the id of the account that posted the demo ad with this number, or null if the account is closed. */
  const posterOf = (number: number) => {
    const accountId = accounts.get(number) ?? accountOf(deps, posters[number] ?? '');
    accounts.set(number, accountId);
    return accountId;
  };
  const marks: Marks = new Map();
  await Promise.all(demoThreads().map((demo) => seedThread(deps.commands, demo, { now_ms, posterOf, marks })));
  await Promise.all([...marks].map(([accountId, posts]) => markAll(deps.commands, accountId, posts)));
}

/** Returns the id of the demo thread with this key. */
export function demoThreadId(key: string): string {
  return uuidv5(key, NAMESPACE);
}

async function accountOf({ commands, createAccountId }: SeedDependencies, email: string): Promise<string | null> {
  const accountId = createAccountId(email);
  return (await commands.load(account, accountId)).state ? accountId : null;
}

interface Seeding {
  readonly now_ms: number;
  readonly posterOf: (number: number) => Promise<string | null>;
  readonly marks: Marks;
}

async function seedThread(commands: CommandHandler, demo: DemoThread, seeding: Seeding): Promise<void> {
  const threadId = demoThreadId(demo.key);
  const authorId = await seeding.posterOf(demo.author);
  if (authorId === null) return;
  const timeOf = (age_ms: number) => ({ now: new Date(seeding.now_ms - age_ms).toISOString() });
  await commands.handle(
    thread,
    threadId,
    (state, context) => (state ? [] : startEvents(demo, threadId, authorId, context)),
    origin,
    timeOf(demo.age_ms),
  );
  for (const [index, reply] of demo.replies.entries()) {
    const accountId = await seeding.posterOf(reply.author);
    if (accountId === null) continue;
    const admissionId = admissionOf(threadId, index);
    const { state } = await commands.handle(
      thread,
      threadId,
      (current, context) => replyEvents(current, demo, index, { accountId, admissionId, threadId }, context),
      origin,
      timeOf(reply.age_ms),
    );
    const number = numberOf(state, admissionId);
    if (number !== null) await collectMarks(reply, { threadId, number, authorId: accountId }, seeding);
  }
}

/**
 * Returns the events that start a thread and pin it. They are stored together. A repeated call therefore does not pin a
 * thread again that a moderator has unpinned.
 */
function startEvents(
  { country, state, city, title, body, isPinned }: DemoThread,
  threadId: string,
  accountId: string,
  context: DecisionContext,
): readonly ThreadEvent[] {
  const events = startThread(
    {
      threadId,
      accountId,
      admissionId: admissionOf(threadId, -1),
      place: { country, state, city },
      title,
      content: wordsOf(body),
    },
    null,
    context,
  );
  if (!isPinned) return events;
  const opened = events.reduce<ThreadState>(
    (state, event) => thread.evolve(state, event, new Date(0).toISOString()),
    null,
  );
  return [...events, ...pinThread({ isPinned: true }, opened, context)];
}

/**
 * Returns the events of a reply, or none if the reply already exists. If the quoted post is not visible, the quote is
 * omitted.
 */
function replyEvents(
  state: ThreadState,
  { replies }: DemoThread,
  index: number,
  {
    accountId,
    admissionId,
    threadId,
  }: { readonly accountId: string; readonly admissionId: string; readonly threadId: string },
  context: DecisionContext,
): readonly ThreadEvent[] {
  const reply = replies[index];
  if (!reply || !state || numberOf(state, admissionId) !== null) return [];
  const quoted = reply.quotes === null ? null : numberOf(state, admissionOf(threadId, reply.quotes));
  const isVisible = quoted !== null && findPost(state.posts, quoted)?.status === 'visible';
  // The author of the reply has the rights of a moderator here, because the thread may have been locked after it was
  // created.
  const member: Member = { accountId, emailVerified: true, isModerator: true, registeredAt: new Date(0).toISOString() };
  return replyToThread(
    { member, admissionId, content: wordsOf(reply.body), quotedNumber: isVisible ? quoted : null },
    state,
    context,
  );
}

/** Returns the content of a post. The number of links is 0, so that the limit for users does not apply. */
function wordsOf(body: string): PostContent {
  return { body, fingerprint: computeFingerprint(renderMarkdown(body, 'post').text), links: 0 };
}

/**
 * Returns an id for the reply with this index. The id identifies the reply before the reply has a number. Index -1 is
 * the opening post.
 */
function admissionOf(threadId: string, index: number): string {
  return uuidv5(String(index), threadId);
}

/**
 * Returns the number of a post in its thread, or null if the post does not exist. Hidden and deleted posts also have
 * numbers.
 */
function numberOf(state: ThreadState, admissionId: string): number | null {
  const number = state?.posts.flat().findIndex((post) => post.admissionId === admissionId) ?? -1;
  return number < 0 ? null : number;
}

async function collectMarks({ helpfulBy }: DemoReply, post: MarkedPost, { posterOf, marks }: Seeding): Promise<void> {
  for (const number of helpfulBy) {
    const accountId = await posterOf(number);
    if (accountId !== null && accountId !== post.authorId)
      marks.set(accountId, [...(marks.get(accountId) ?? []), post]);
  }
}

/** No demo account was registered before this time. */
const SEED_START = new Date(0).toISOString();

/** Stores the helpful marks of one account with a single command. */
async function markAll(commands: CommandHandler, accountId: string, posts: readonly MarkedPost[]): Promise<void> {
  await commands.handle(
    helpful,
    accountId,
    (state, context) =>
      posts.flatMap((post) =>
        markHelpful({ ...post, accountId, registeredAt: SEED_START, emailVerified: true }, state, context),
      ),
    origin,
  );
}
