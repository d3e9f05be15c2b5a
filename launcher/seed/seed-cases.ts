import {
  account,
  DEMO_EMAILS,
  article,
  identity,
  identityBlobKey,
  listing,
  media,
  moderationCase,
  report,
  thread,
  toCaseId,
  toPostId,
  toStreamId,
  type AccountState,
  type BlobStore,
  type CaseId,
  type ModerationEvent,
  type ReportReason,
  type SubjectState,
  settleCase,
} from '@alpenglow/domain';
import {
  addReport,
  claimCase,
  decideCase,
  fileAppeal,
  fileReport,
  registerAccount,
  grantRole,
  requestIdentityCheck,
} from '@alpenglow/domain/deciders';
import { createSealedBlobs, type CommandHandler, type CommandOrigin, type DataKeys } from '@alpenglow/infra';
import { readStockPicture } from '@alpenglow/workers';
import { v5 as uuidv5 } from 'uuid';
import { demoAds } from './demo-ads.ts';
import { demoThreadId } from './seed-community.ts';
import type { SeedDependencies } from './seed-demo.ts';

export interface SeedCasesDependencies extends SeedDependencies {
  readonly blobs: BlobStore;
  readonly dataKeys: DataKeys;
}

/** Reported content with the data of its case. */
interface Reported extends Omit<SubjectState, 'isVisible'> {
  readonly reason: ReportReason;
  /** The text of the reporter. */
  readonly text: string;
  /** True if the demo client filed the report. Otherwise, the reporter was not signed in. */
  readonly isByClient: boolean;
  readonly hoursAgo: number;
}

/** UUID namespace for the ids of demo reports and identity checks, so that every installation has the same ids. */
const NAMESPACE = 'c8f0fb0c-7a64-4a2e-8d57-0f2c4a0d9b37';
const MODERATOR_EMAIL = 'moderator@demo.alpenglow.example';
/**
 * Numbers of demo ads. Each number stands for the ad or for the account that posted it. Cases hide the first two ads,
 * so they are in cities with more than ten ads.
 */
const [REPORTED_AD, APPEALED_AD, REPORTED_PROFILE, IDENTITY_CHECK] = [35, 17, 61, 72];
const HOUR_ms = 60 * 60_000;
const IDENTITY_CHECK_AGE_hours = 7;
const origin: CommandOrigin = { actor: { kind: 'system', name: 'seed' }, correlationId: 'seed' };

/**
 * Creates one open moderation case for each kind of content, one open appeal and one open identity check. Later calls
 * change nothing, even if a moderator has decided. `seedDemo`, `seedArticles` and `seedCommunity` must be called first,
 * because they create the reported content. An installation of an earlier release may contain this content already.
 * A case that a person has opened, and a provider who is already verified, are left unchanged.
 */
export async function seedCases(deps: SeedCasesDependencies): Promise<void> {
  const now_ms = Date.now();
  const emails = demoAds().map(({ email }) => email);
  const posterOf = (number: number) => deps.createAccountId(emails[number] ?? '');
  const reports = await Promise.all([
    reportedAd(deps.commands, posterOf(REPORTED_AD ?? 0)),
    reportedPhoto(deps),
    reportedProfile(deps.commands, posterOf(REPORTED_PROFILE ?? 0)),
    reportedThread(deps.commands),
    reportedReply(deps.commands),
    reportedArticle(deps.commands),
  ]);
  for (const reported of reports) if (reported) await seedCase(deps, reported, now_ms);
  await seedAppeal(deps, posterOf(APPEALED_AD ?? 0), now_ms);
  await seedIdentityCheck(deps, posterOf(IDENTITY_CHECK ?? 0), now_ms);
}

type MaybeReported = Promise<Reported | null>;

async function reportedAd(commands: CommandHandler, ownerId: string): MaybeReported {
  const { state, revision } = await commands.load(listing, ownerId);
  if (!state.ad) return null;
  return {
    subject: { kind: 'ad', id: state.ad.adId },
    ownerId,
    evidence: { stream: toStreamId(listing, ownerId), revision },
    canBeHidden: true,
    reason: 'my_content',
    text: 'The phone number in this ad is mine. I have never posted an ad here, and strangers call me.',
    isByClient: false,
    hoursAgo: 3,
  };
}

async function reportedPhoto({ commands, createAccountId }: SeedDependencies): MaybeReported {
  const ownerId = createAccountId(DEMO_EMAILS.provider);
  const { state } = await commands.load(listing, ownerId);
  const photoId = state.ad?.photos.at(-1);
  if (photoId === undefined) return null;
  const { revision } = await commands.load(media, photoId);
  return {
    subject: { kind: 'media', id: photoId },
    ownerId,
    evidence: { stream: toStreamId(media, photoId), revision },
    canBeHidden: true,
    reason: 'stolen',
    text: 'I drew this picture and sell it as a postcard. Nobody asked me.',
    isByClient: true,
    hoursAgo: 20,
  };
}

async function reportedProfile(commands: CommandHandler, accountId: string): MaybeReported {
  const { state, revision } = await commands.load(account, accountId);
  if (!state) return null;
  return {
    subject: { kind: 'account', id: accountId },
    ownerId: accountId,
    evidence: { stream: toStreamId(account, accountId), revision },
    canBeHidden: true,
    reason: 'other',
    text: 'We had an appointment twice, and nobody came. I am not sure that this person exists.',
    isByClient: true,
    hoursAgo: 30,
  };
}

async function reportedThread(commands: CommandHandler): MaybeReported {
  return reportedPost(
    commands,
    { key: 'ca-3', number: 0 },
    { reason: 'spam', text: 'This was asked last week.', hoursAgo: 9 },
  );
}

async function reportedReply(commands: CommandHandler): MaybeReported {
  return reportedPost(
    commands,
    { key: 'nv-2', number: 2 },
    { reason: 'other', text: 'With these details, everybody knows which café this is.', hoursAgo: 14 },
  );
}

async function reportedPost(
  commands: CommandHandler,
  { key, number }: { readonly key: string; readonly number: number },
  texts: Pick<Reported, 'reason' | 'text' | 'hoursAgo'>,
): MaybeReported {
  const threadId = demoThreadId(key);
  const { state, revision } = await commands.load(thread, threadId);
  const post = state?.posts.flat()[number];
  if (!post) return null;
  return {
    subject: number === 0 ? { kind: 'thread', id: threadId } : { kind: 'post', id: toPostId(threadId, number) },
    ownerId: post.accountId,
    evidence: { stream: toStreamId(thread, threadId), revision },
    canBeHidden: true,
    isByClient: true,
    ...texts,
  };
}

async function reportedArticle(commands: CommandHandler): MaybeReported {
  const slug = 'recognizing-scams';
  const { state, revision } = await commands.load(article, slug);
  if (!state) return null;
  return {
    subject: { kind: 'article', id: slug },
    ownerId: null,
    evidence: { stream: toStreamId(article, slug), revision },
    canBeHidden: false,
    reason: 'other',
    text: 'The second paragraph does not say where to report a payment that has already been made.',
    isByClient: true,
    hoursAgo: 50,
  };
}

/** Returns the time of an event that was this number of hours ago, in ISO 8601. */
type TimeOf = (hoursAgo: number) => string;

/**
 * Returns a function for the times of a case whose first event was `longest_hours` ago. If the owner of the content
 * registered later than that, all times move closer to now in proportion. A decision or a request from before
 * the registration would belong to an earlier account with the same id. An account of an earlier release may have
 * registered only just before.
 */
async function pastTimes(
  { commands }: SeedDependencies,
  ownerId: string | null,
  longest_hours: number,
  now_ms: number,
): Promise<TimeOf> {
  const owner = ownerId === null ? null : (await commands.load(account, ownerId)).state;
  const age_ms = owner === null ? Number.POSITIVE_INFINITY : Math.max(0, now_ms - Date.parse(owner.registeredAt));
  const hour_ms = Math.min(HOUR_ms, age_ms / longest_hours);
  return (hoursAgo) => new Date(Math.ceil(now_ms - hoursAgo * hour_ms)).toISOString();
}

/**
 * Opens the case of a report, calls `continueCase`, and files the report. The report is filed last and marks the case
 * as complete, so that an interrupted call is repeated.
 */
async function seedCase(
  deps: SeedCasesDependencies,
  { reason, text, isByClient, hoursAgo, ...judged }: Reported,
  now_ms: number,
  continueCase: (caseId: CaseId, timeOf: TimeOf) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { commands, createAccountId } = deps;
  const { subject, ownerId, evidence } = judged;
  const reportId = uuidv5(text, NAMESPACE);
  const caseId = toCaseId(subject);
  if ((await commands.load(report, reportId)).state) return;
  const { state: existing } = await commands.load(moderationCase, caseId);
  if (existing && !existing.reportIds.includes(reportId)) return;
  const timeOf = await pastTimes(deps, ownerId, hoursAgo, now_ms);
  const now = timeOf(hoursAgo);
  const command = { reportId, reason, subject, ownerId, evidence, canHide: judged.canBeHidden };
  await commands.execute(moderationCase, caseId, addReport, command, origin, { now });
  await settleCase(commands, caseId, origin);
  await continueCase(caseId, timeOf);
  const reporterId = isByClient ? createAccountId(DEMO_EMAILS.client) : null;
  await commands.execute(
    report,
    reportId,
    fileReport,
    { reportId, reporterId, ownerId, subject, reason, text, evidence },
    origin,
    { now },
  );
}

/** Creates an ad that a moderator has hidden, with an open appeal of its owner. */
async function seedAppeal(deps: SeedCasesDependencies, ownerId: string, now_ms: number): Promise<void> {
  const { commands } = deps;
  const { state: slot, revision } = await commands.load(listing, ownerId);
  if (!slot.ad) return;
  const subject = { kind: 'ad', id: slot.ad.adId } as const;
  await seedCase(
    deps,
    {
      subject,
      ownerId,
      evidence: { stream: toStreamId(listing, ownerId), revision },
      canBeHidden: true,
      reason: 'illegal',
      text: 'The ad offers a service that is not allowed in this state.',
      isByClient: true,
      hoursAgo: 96,
    },
    now_ms,
    (caseId, timeOf) => decideAndAppeal(deps, caseId, ownerId, now_ms, timeOf),
  );
}

/** Decides a case and files the appeal of the owner. Repeats only the missing steps after an interruption. */
async function decideAndAppeal(
  deps: SeedCasesDependencies,
  caseId: CaseId,
  ownerId: string,
  now_ms: number,
  timeOf: TimeOf,
): Promise<void> {
  const { commands } = deps;
  const moderatorId = await registerModerator(deps, now_ms);
  const { state: decided } = await commands.handle(
    moderationCase,
    caseId,
    (state, context) => {
      if (state?.decision?.isAutomated === false) return [];
      const claimed = claimCase({ moderatorId }, state, context);
      const current = claimed.reduce((after, event) => moderationCase.evolve(after, event, context.now), state);
      const facts = 'The description reads like an offer of a service that is not allowed in this state.';
      const decision = { moderatorId, outcome: 'hidden', rule: 'illegal', facts, wasHidden: false } as const;
      return [...claimed, ...decideCase(decision, current, context)] satisfies readonly ModerationEvent[];
    },
    origin,
    { now: timeOf(72) },
  );
  await settleCase(commands, caseId, origin);
  if (!decided?.decision || decided.decision.isAppealed) return;
  const text = 'I offer company for dinner and nothing else. Please read the second sentence again.';
  const owner = await commands.load(account, ownerId);
  const registeredAt = owner.state?.registeredAt ?? '';
  const appeal = { accountId: ownerId, registeredAt, decisionId: decided.decision.decisionId, text };
  await commands.execute(moderationCase, caseId, fileAppeal, appeal, origin, { now: timeOf(26) });
}

/**
 * Registers a moderator without a password. A moderator must not decide appeals against their own decisions, so another
 * moderator than the demo admin must have decided.
 */
async function registerModerator({ commands, createAccountId }: SeedDependencies, now_ms: number): Promise<string> {
  const accountId = createAccountId(MODERATOR_EMAIL);
  const person = { email: MODERATOR_EMAIL, userType: 'client', displayName: 'Demo moderator', age: 30 } as const;
  await commands.handle(
    account,
    accountId,
    (state, context) => {
      if (state) return [];
      const registered = registerAccount({ ...person, accountId, passwordHash: null, isDemo: true }, state, context);
      const after = registered.reduce<AccountState>(
        (current, event) => account.evolve(current, event, context.now),
        state,
      );
      return [...registered, ...grantRole({ role: 'moderator', reason: 'Demo data' }, after, context)];
    },
    origin,
    { now: new Date(now_ms - 60 * 24 * HOUR_ms).toISOString() },
  );
  return accountId;
}

/** Creates the open request of a provider for verification of their identity. The picture is a stock picture. */
async function seedIdentityCheck(deps: SeedCasesDependencies, accountId: string, now_ms: number): Promise<void> {
  const { commands, blobs, dataKeys } = deps;
  const { state: provider } = await commands.load(account, accountId);
  if (!provider || provider.verifiedByAdmin || (await commands.load(identity, accountId)).state) return;
  const checkId = uuidv5(accountId, NAMESPACE);
  const picture = await readStockPicture(1);
  await createSealedBlobs({ blobs, dataKeys }).put(identityBlobKey(checkId, 1), accountId, picture);
  const timeOf = await pastTimes(deps, accountId, IDENTITY_CHECK_AGE_hours, now_ms);
  await commands.execute(identity, accountId, requestIdentityCheck, { provider, checkId, files: 1 }, origin, {
    now: timeOf(IDENTITY_CHECK_AGE_hours),
  });
}
