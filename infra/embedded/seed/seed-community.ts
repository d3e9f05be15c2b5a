import { fingerprintOf } from '@alpenglow/command-api';
import {
  account,
  helpful,
  markHelpful,
  pinThread,
  postAt,
  replyToThread,
  startThread,
  thread,
  type Member,
  type PostWords,
  type ThreadEvent,
  type ThreadState,
} from '@alpenglow/domain';
import { renderMarkdown, type CommandHandler, type CommandOrigin } from '@alpenglow/infra';
import { v5 as uuidv5 } from 'uuid';
import { demoAds } from './demo-ads.ts';
import { demoThreads, type DemoReply, type DemoThread } from './demo-threads.ts';

export interface SeedCommunityDependencies {
  readonly commands: CommandHandler;
  readonly accountIdOf: (email: string) => string;
}

/** Of the ids that threads and posts of the demo have in every installation. */
const NAMESPACE = '6d9a2f0e-41f7-4c0b-9b7e-2f7d3f0f8a51';
const origin: CommandOrigin = { actor: { kind: 'system', name: 'seed' }, correlationId: 'seed' };

/** Somebody of the demo's and their posts, one by one: which number of which thread they found helpful. */
type Marks = Map<string, { readonly threadId: string; readonly number: number; readonly authorId: string }[]>;

/**
 * Starts the demo threads, with replies, quotes and helpful marks, by the posters of demo ads that are still there. Cut off, it goes on where it was the next time; what
 * moderators have done since stays done. To be called after `seedDemo`.
 */
export async function seedCommunity(deps: SeedCommunityDependencies): Promise<void> {
  const now_ms = Date.now();
  const posters = demoAds().map(({ email }) => email);
  const present = new Map<number, Promise<string | null>>();
  /** The account that posted this demo ad; null once it is closed. */
  const posterOf = (number: number) => {
    const known = present.get(number) ?? accountOf(deps, posters[number] ?? '');
    present.set(number, known);
    return known;
  };
  const marks: Marks = new Map();
  await Promise.all(demoThreads().map((one) => seedThread(deps.commands, one, { now_ms, posterOf, marks })));
  await Promise.all([...marks].map(([accountId, found]) => markAll(deps.commands, accountId, found)));
}

async function accountOf({ commands, accountIdOf }: SeedCommunityDependencies, email: string): Promise<string | null> {
  const accountId = accountIdOf(email);
  return (await commands.load(account, accountId)).state ? accountId : null;
}

interface Seeding {
  readonly now_ms: number;
  readonly posterOf: (number: number) => Promise<string | null>;
  readonly marks: Marks;
}

async function seedThread(commands: CommandHandler, demo: DemoThread, seeding: Seeding): Promise<void> {
  const threadId = uuidv5(demo.key, NAMESPACE);
  const authorId = await seeding.posterOf(demo.author);
  if (authorId === null) return;
  const timeOf = (age_ms: number) => ({ now: new Date(seeding.now_ms - age_ms).toISOString() });
  await commands.handle(
    thread,
    threadId,
    (state) => (state ? [] : started(demo, threadId, authorId)),
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
      (now) => replied(now, demo, index, { accountId, admissionId, threadId }),
      origin,
      timeOf(reply.age_ms),
    );
    const number = numberOf(state, admissionId);
    if (number !== null) await collectMarks(reply, { threadId, number, authorId: accountId }, seeding);
  }
}

/** Pinned in the same step: one that is unpinned later stays so. */
function started(
  { country, state, city, title, body, isPinned }: DemoThread,
  threadId: string,
  accountId: string,
): readonly ThreadEvent[] {
  const events = startThread(
    {
      threadId,
      accountId,
      admissionId: admissionOf(threadId, -1),
      place: { country, state, city },
      title,
      words: wordsOf(body),
    },
    null,
  );
  if (!isPinned) return events;
  const opened = events.reduce<ThreadState>(
    (state, event) => thread.evolve(state, event, new Date(0).toISOString()),
    null,
  );
  return [...events, ...pinThread(true, opened)];
}

/** The reply, unless it is there. It quotes nothing where what it would quote is not to be seen. */
function replied(
  state: ThreadState,
  { replies }: DemoThread,
  index: number,
  {
    accountId,
    admissionId,
    threadId,
  }: { readonly accountId: string; readonly admissionId: string; readonly threadId: string },
): readonly ThreadEvent[] {
  const reply = replies[index];
  if (!reply || !state || numberOf(state, admissionId) !== null) return [];
  const quoted = reply.quotes === null ? null : numberOf(state, admissionOf(threadId, reply.quotes));
  const isSeen = quoted !== null && postAt(state.posts, quoted)?.status === 'visible';
  // As a moderator: nothing keeps the rest out of a thread that was locked meanwhile.
  const member: Member = { accountId, emailVerified: true, isModerator: true, registeredAt: new Date(0).toISOString() };
  return replyToThread(
    { member, admissionId, words: wordsOf(reply.body), quotedNumber: isSeen ? quoted : null },
    state,
  );
}

/** Links are counted where somebody asks to post. */
function wordsOf(body: string): PostWords {
  return { body, fingerprint: fingerprintOf(renderMarkdown(body, 'post').text), links: 0 };
}

/** Of the reply with this index; -1 stands for the opening post. */
function admissionOf(threadId: string, index: number): string {
  return uuidv5(String(index), threadId);
}

/** The number under which a post is there, whatever became of it; null when it is not. */
function numberOf(state: ThreadState, admissionId: string): number | null {
  const number = state?.posts.flat().findIndex((post) => post.admissionId === admissionId) ?? -1;
  return number < 0 ? null : number;
}

async function collectMarks(
  { helpfulBy }: DemoReply,
  post: { readonly threadId: string; readonly number: number; readonly authorId: string },
  { posterOf, marks }: Seeding,
): Promise<void> {
  for (const number of helpfulBy) {
    const accountId = await posterOf(number);
    if (accountId !== null && accountId !== post.authorId)
      marks.set(accountId, [...(marks.get(accountId) ?? []), post]);
  }
}

/** All marks of one account in one step. */
async function markAll(
  commands: CommandHandler,
  accountId: string,
  posts: readonly { readonly threadId: string; readonly number: number; readonly authorId: string }[],
): Promise<void> {
  await commands.handle(
    helpful,
    accountId,
    (state) => posts.flatMap((post) => markHelpful({ ...post, accountId, emailVerified: true }, state)),
    origin,
  );
}
