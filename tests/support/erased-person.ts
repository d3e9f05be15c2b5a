import { randomUUID } from 'node:crypto';
import {
  account,
  ERASURE_STEPS,
  findEventDefinition,
  identity,
  listing,
  media,
  report,
  thread,
  toStreamId,
  type ErasureStep,
  type EventStore,
  type StreamId,
} from '@alpenglow/domain';
import type { createDataKeys, ErasedPerson, Pool } from '@alpenglow/infra';
import { adPosted } from '../../domain/test/listing/posted-ad.ts';

/** Appends one event with the time `at` to a stream. `store` must encrypt personal data. */
export async function appendEvent(
  store: EventStore,
  stream: StreamId,
  type: string,
  data: Readonly<Record<string, unknown>>,
  at = new Date(),
): Promise<void> {
  const actor = { kind: 'system', name: 'test' } as const;
  const meta = { correlationId: 'test', causationId: null, actor, at: at.toISOString() };
  const event = { id: randomUUID(), type, version: findEventDefinition(type)?.version ?? 1, data, meta };
  await store.append(stream, [event], { expectedRevision: 'any' });
}

/** Appends the sign-up and the ad of a provider. All texts contain `word`. */
export async function appendProvider(store: EventStore, accountId: string, word: string): Promise<void> {
  await appendEvent(store, toStreamId(account, accountId), 'AccountRegistered', {
    accountId,
    email: `${word}@example.org`,
    passwordHash: null,
    userType: 'provider',
    displayName: word,
    age: 30,
    isDemo: false,
  });
  const texts = { name: word, title: `${word} at home`, description: `${word} is calm.` };
  const { type, data } = adPosted({ accountId, adId: `ad-${accountId}`, ...texts });
  await appendEvent(store, toStreamId(listing, accountId), type, data);
}

/**
 * Appends data of an account in streams of others: a review of the ad of `ownerId`, a reply in the thread `threadId`,
 * the photo `mediaId`, and a report. Also a decision on an identity check. All texts contain `word`.
 */
export async function appendTraces(
  store: EventStore,
  accountId: string,
  word: string,
  { ownerId, threadId, mediaId, checkId }: Readonly<Record<'ownerId' | 'threadId' | 'mediaId' | 'checkId', string>>,
): Promise<void> {
  await appendEvent(store, toStreamId(listing, ownerId), 'AdReviewed', {
    accountId: ownerId,
    adId: `ad-${ownerId}`,
    reviewerId: accountId,
    reviewId: randomUUID(),
    name: word,
    comment: `${word} was there.`,
    rating: 4,
  });
  await appendEvent(store, toStreamId(thread, threadId), 'ReplyPosted', {
    threadId,
    number: 1,
    accountId,
    admissionId: randomUUID(),
    body: `${word} replies.`,
    fingerprint: word,
    quotedNumber: null,
  });
  const ids = { mediaId, ownerId: accountId };
  await appendEvent(store, toStreamId(media, mediaId), 'MediaUploaded', {
    ...ids,
    kind: 'photo',
    sizeBytes: 1,
    contentType: 'image/jpeg',
  });
  await appendEvent(store, toStreamId(media, mediaId), 'PhotoVariantsMade', {
    ...ids,
    width: 1,
    height: 1,
    blur: `data:${word}`,
    hash: '00ff'.repeat(16),
    variants: [],
  });
  const reportId = randomUUID();
  await appendEvent(store, toStreamId(report, reportId), 'ReportFiled', {
    reportId,
    subject: { kind: 'ad', id: `ad-${ownerId}` },
    ownerId,
    reporterId: accountId,
    reason: 'spam',
    text: `${word} reports.`,
    evidence: null,
  });
  await appendEvent(store, toStreamId(identity, accountId), 'IdentityCheckRequested', { accountId, checkId, files: 1 });
  await appendEvent(store, toStreamId(identity, accountId), 'IdentityCheckDecided', {
    accountId,
    checkId,
    isAccepted: false,
    reason: `${word} is blurred.`,
  });
}

/** Appends a thread of an account. All texts contain `word`. */
export async function appendThread(
  store: EventStore,
  accountId: string,
  threadId: string,
  word: string,
): Promise<void> {
  await appendEvent(store, toStreamId(thread, threadId), 'ThreadStarted', {
    threadId,
    accountId,
    admissionId: threadId,
    country: 'us',
    state: 'NV',
    city: 'reno',
    title: `${word} writes`,
    body: `${word} writes.`,
    fingerprint: word,
  });
}

/** Destroys the keys of an account. Moves the time into the past, as if no process used the keys any more. */
export async function destroyKeys(
  accountId: string,
  dataKeys: Pick<ReturnType<typeof createDataKeys>, 'retire' | 'destroyRetired'>,
  pool: Pool,
): Promise<void> {
  await dataKeys.retire(accountId);
  await dataKeys.destroyRetired(accountId);
  await pool.query(
    `update auth.data_keys set destroyed_at = destroyed_at - interval '1 minute'
      where split_part(account_id, '~', 1) = $1`,
    [accountId],
  );
}

/** Returns the state of an erasure whose steps until `last` were completed at `at`. */
export function personInErasure(accountId: string, last: ErasureStep, at: Date): ErasedPerson {
  const steps = ERASURE_STEPS.slice(0, ERASURE_STEPS.indexOf(last) + 1);
  return {
    accountId,
    receiptId: randomUUID(),
    requestedAt: at.toISOString(),
    completedSteps: steps.map((step) => ({ step, at: at.toISOString() })),
  };
}
