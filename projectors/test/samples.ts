import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  EVENT_DEFINITIONS,
  listing,
  EMPTY_OPTIONAL_FIELDS,
  toCaseId,
  toPostId,
  toStreamId,
  type DomainEvent,
  type DomainEventType,
} from '@alpenglow/domain';

type Samples = { readonly [Type in DomainEventType]: Extract<DomainEvent, { readonly type: Type }> };

const ad = { accountId: 'anna', adId: 'ad-1' };
const account = { accountId: 'anna' };
const media = { mediaId: 'm1', ownerId: 'anna' };
const erasure = { ...account, receiptId: 'receipt-1' };
const code = { ...account, issuanceId: 'i1' };
const expiresAt = '2026-01-01T12:15:00.000Z';
const person = {
  email: 'a@example.com',
  passwordHash: 'secret',
  userType: 'provider',
  displayName: 'Anna',
  age: 30,
} as const;

const T = '0193a1b2-0000-7000-8000-000000000001';
const thread = { threadId: T };
const reply = { ...thread, number: 1, accountId: 'ben' };
const content = { body: 'The *tea room* by the park.', fingerprint: 'f1' };
const reason = { reason: 'As agreed.' };
const admission = { admissionId: 'a1' };
const rule = { ruleId: 'rule-1' };
const ruleFields = {
  title: 'Copied words',
  category: null,
  phrases: ['copied'],
  youngerThanDays: 7,
  minReports: null,
  rule: 'spam',
  facts: 'Copied from elsewhere.',
};
const aCase = { caseId: toCaseId({ kind: 'ad', id: 'ad-1' }) };
const caseSubject = {
  subject: { kind: 'ad', id: 'ad-1' },
  ownerId: 'anna',
  evidence: { stream: toStreamId(listing, 'anna'), revision: 3 },
} as const;
/** The id of the sample report. Its reference is derived from this id. */
const R = '0193a1b2-0000-7000-8000-0000000000aa';
const rebuild = { projection: 'ad_cards', rebuildId: 'r1' };
const parked = { projection: 'ad_cards', eventId: 'e1', position: '0000000000000000017' };
const article = { articleId: 'meeting-safely' };

/** Sample events with values that tests expect. */
const EVENTS_WITH_EXPECTED_VALUES = {
  AccountRegistered: { type: 'AccountRegistered', data: { ...account, ...person, isDemo: false } },
  EmailVerificationIssued: { type: 'EmailVerificationIssued', data: { ...code, expiresAt } },
  EmailVerificationFailed: { type: 'EmailVerificationFailed', data: code },
  EmailVerified: { type: 'EmailVerified', data: account },
  EmailVerificationCleared: { type: 'EmailVerificationCleared', data: { ...code, reason: 'Asked for by phone.' } },
  SignUpRepeated: {
    type: 'SignUpRepeated',
    data: { accountId: 'anna-again', ofAccountId: 'anna', issuanceId: 'i2', expiresAt, ...person },
  },
  ProfileUpdated: { type: 'ProfileUpdated', data: { ...account, displayName: 'Annabel', age: 31 } },
  PasswordRehashed: { type: 'PasswordRehashed', data: { ...account, passwordHash: 'a new hash' } },
  PasswordChanged: { type: 'PasswordChanged', data: { ...account, passwordHash: 'another secret' } },
  LoginCodeIssued: { type: 'LoginCodeIssued', data: { ...account, issuanceId: 'i5', expiresAt } },
  LoginCodeFailed: { type: 'LoginCodeFailed', data: { ...account, issuanceId: 'i5' } },
  LoginCodeUsed: { type: 'LoginCodeUsed', data: { ...account, issuanceId: 'i5' } },
  PasswordResetIssued: { type: 'PasswordResetIssued', data: { ...account, issuanceId: 'i3', expiresAt } },
  PasswordResetFailed: { type: 'PasswordResetFailed', data: { ...account, issuanceId: 'i3' } },
  AccountVerifiedByAdmin: { type: 'AccountVerifiedByAdmin', data: { ...account, ...reason } },
  JobRetried: { type: 'JobRetried', data: { kind: 'photo-variants', jobId: 'job-1' } },
  JobRemoved: { type: 'JobRemoved', data: { kind: 'photo-variants', jobId: 'job-1' } },
  DeadJobsRetried: { type: 'DeadJobsRetried', data: { kind: 'photo-variants' } },
  RoleGranted: { type: 'RoleGranted', data: { ...account, ...reason, role: 'moderator' } },
  RoleWithdrawn: { type: 'RoleWithdrawn', data: { ...account, ...reason, role: 'moderator' } },
  TwoStepSetUpBegun: {
    type: 'TwoStepSetUpBegun',
    data: { ...account, secret: 'JBSWY3DPEHPK3PXP', expiresAt: '2026-01-01T00:15:00.000Z' },
  },
  TwoStepEnabled: {
    type: 'TwoStepEnabled',
    data: { ...account, secret: 'JBSWY3DPEHPK3PXP', recoveryCodeHashes: ['hash'], timeStep: 1 },
  },
  TwoStepCodeUsed: { type: 'TwoStepCodeUsed', data: { ...account, timeStep: 2 } },
  RecoveryCodeUsed: { type: 'RecoveryCodeUsed', data: { ...account, recoveryCodeHash: 'hash' } },
  TwoStepDisabled: { type: 'TwoStepDisabled', data: account },
  IdentityCheckRequested: { type: 'IdentityCheckRequested', data: { ...account, checkId: 'c1', files: 2 } },
  IdentityCheckDecided: {
    type: 'IdentityCheckDecided',
    data: { ...account, checkId: 'c1', isAccepted: true, reason: 'Passport and face match.' },
  },
  IdentityEvidenceDestroyed: { type: 'IdentityEvidenceDestroyed', data: { ...account, checkId: 'c1' } },
  AccountClosed: { type: 'AccountClosed', data: { ...account, ...reason } },
  ErasureRequested: { type: 'ErasureRequested', data: { ...erasure, ...reason, by: 'admin' } },
  ErasureStepDone: { type: 'ErasureStepDone', data: { ...erasure, step: 'keys_retired' } },
  ErasureCompleted: { type: 'ErasureCompleted', data: erasure },
  LegalHoldSet: { type: 'LegalHoldSet', data: { ...account, ...reason } },
  LegalHoldLifted: { type: 'LegalHoldLifted', data: { ...account, ...reason } },
  ConsentRecorded: {
    type: 'ConsentRecorded',
    data: { subjectId: 'anna', kind: 'cookies', textVersion: 1, choice: 'essential' },
  },
  AdFavorited: { type: 'AdFavorited', data: ad },
  AdUnfavorited: { type: 'AdUnfavorited', data: ad },
  AdPosted: {
    type: 'AdPosted',
    data: {
      ...ad,
      clientId: null,
      name: 'Anna',
      title: 'Good company',
      category: 'escort',
      state: 'FL',
      city: 'St. Petersburg',
      description: 'Calm.',
      ...EMPTY_OPTIONAL_FIELDS,
      phone: '+1 555 0100',
      photos: ['m1'],
      video: 'm2',
      isDemo: false,
    },
  },
  AdUpdated: { type: 'AdUpdated', data: { ...ad, title: 'New', city: 'Miami', description: 'Calmer.', phone: null } },
  AdBumped: { type: 'AdBumped', data: ad },
  AdReviewed: {
    type: 'AdReviewed',
    data: { ...ad, reviewerId: null, reviewId: 'r1', name: 'Ben', comment: 'Kind.', rating: 4 },
  },
  AdReviewEdited: {
    type: 'AdReviewEdited',
    data: {
      ...ad,
      reviewerId: 'ben',
      reviewId: 'r1',
      name: 'Ben',
      comment: 'Kind, late.',
      rating: 2,
      previousRating: 4,
    },
  },
  AdReviewDeleted: { type: 'AdReviewDeleted', data: { ...ad, reviewerId: 'ben', reviewId: 'r1', rating: 4 } },
  AdReviewRemoved: {
    type: 'AdReviewRemoved',
    data: { ...ad, reviewerId: 'ben', reviewId: 'r1', rating: 4, ...reason },
  },
  AdFeatured: { type: 'AdFeatured', data: { ...ad, isFeatured: true } },
  AdHidden: { type: 'AdHidden', data: { ...ad, by: 'report', caseId: toCaseId({ kind: 'ad', id: ad.adId }) } },
  AdHoldLifted: { type: 'AdHoldLifted', data: { ...ad, caseId: toCaseId({ kind: 'ad', id: ad.adId }) } },
  AdRestored: { type: 'AdRestored', data: { ...ad, caseId: toCaseId({ kind: 'ad', id: ad.adId }) } },
  AdDeleted: { type: 'AdDeleted', data: { ...ad, ...reason } },
  MediaUploaded: { type: 'MediaUploaded', data: { ...media, kind: 'photo', sizeBytes: 1, contentType: 'image/jpeg' } },
  PhotoVariantsMade: {
    type: 'PhotoVariantsMade',
    data: { ...media, width: 10, height: 20, blur: 'data:', hash: '00ff'.repeat(16), variants: [] },
  },
  VideoProbed: {
    type: 'VideoProbed',
    data: {
      ...media,
      duration_s: 12,
      width: 10,
      height: 20,
      codec: 'h264',
      contentType: 'video/mp4',
      sizeBytes: 1,
      shortened_s: 1.5,
    },
  },
  PhotoHashed: { type: 'PhotoHashed', data: { ...media, hash: '0ff0'.repeat(16) } },
  MediaRejected: { type: 'MediaRejected', data: { ...media, code: 'NOT_AN_IMAGE', reason: 'no' } },
  MediaRemoved: { type: 'MediaRemoved', data: media },
  PictureTakenDown: { type: 'PictureTakenDown', data: { pictureId: 'm1', reference: 'c1', hash: '00ff'.repeat(16) } },
  PictureReleased: { type: 'PictureReleased', data: { pictureId: 'm1', reference: 'c1' } },
  ThreadStarted: {
    type: 'ThreadStarted',
    data: {
      ...thread,
      accountId: 'anna',
      ...admission,
      country: 'us',
      state: 'NV',
      city: 'Las Vegas',
      title: 'Quiet places to meet first',
      body: 'Where do you like to go?',
      fingerprint: 'f0',
    },
  },
  PostAdmitted: { type: 'PostAdmitted', data: { accountId: 'ben', ...admission, ...thread, fingerprint: 'f1' } },
  ReplyPosted: { type: 'ReplyPosted', data: { ...reply, ...admission, ...content, quotedNumber: 0 } },
  PostEdited: { type: 'PostEdited', data: { ...reply, body: 'The tea room, on the second floor.', fingerprint: 'f2' } },
  PostHidden: { type: 'PostHidden', data: { ...reply, by: 'moderator', reason: 'Not here.' } },
  PostRestored: { type: 'PostRestored', data: reply },
  PostMarkedHelpful: { type: 'PostMarkedHelpful', data: { accountId: 'anna', ...thread, number: 1 } },
  PostUnmarkedHelpful: { type: 'PostUnmarkedHelpful', data: { accountId: 'anna', ...thread, number: 1 } },
  PostDeleted: { type: 'PostDeleted', data: reply },
  ThreadLocked: { type: 'ThreadLocked', data: thread },
  ThreadUnlocked: { type: 'ThreadUnlocked', data: thread },
  ThreadPinned: { type: 'ThreadPinned', data: thread },
  ThreadUnpinned: { type: 'ThreadUnpinned', data: thread },
  ThreadMoved: { type: 'ThreadMoved', data: { ...thread, country: 'us', state: 'NY', city: 'New York City' } },
  ThreadFollowed: { type: 'ThreadFollowed', data: { accountId: 'anna', ...thread, mail: 'daily' } },
  ThreadUnfollowed: { type: 'ThreadUnfollowed', data: { accountId: 'anna', ...thread } },
  RebuildRequested: { type: 'RebuildRequested', data: rebuild },
  RebuildPaused: { type: 'RebuildPaused', data: rebuild },
  RebuildResumed: { type: 'RebuildResumed', data: rebuild },
  RebuildCancelled: { type: 'RebuildCancelled', data: rebuild },
  RebuildSwapRequested: { type: 'RebuildSwapRequested', data: rebuild },
  RebuildReverted: { type: 'RebuildReverted', data: { projection: 'ad_cards' } },
  ParkedEventRetried: { type: 'ParkedEventRetried', data: parked },
  ParkedEventSkipped: {
    type: 'ParkedEventSkipped',
    data: { ...parked, subjectId: 'anna', reason: 'Written by a fault that is mended.' },
  },
  HidingRuleDrafted: { type: 'HidingRuleDrafted', data: { ...rule, ...ruleFields } },
  HidingRuleChanged: { type: 'HidingRuleChanged', data: { ...rule, ...ruleFields, phrases: ['hot stone'] } },
  HidingRuleSwitchedOn: { type: 'HidingRuleSwitchedOn', data: rule },
  HidingRuleSwitchedOff: { type: 'HidingRuleSwitchedOff', data: rule },
  HidingRuleDiscarded: { type: 'HidingRuleDiscarded', data: rule },
  ReportFiled: {
    type: 'ReportFiled',
    data: {
      reportId: R,
      reporterId: null,
      ownerId: null,
      subject: { kind: 'post', id: toPostId(T, 1) },
      reason: 'spam',
      text: null,
      evidence: null,
    },
  },
  CaseOpened: { type: 'CaseOpened', data: { ...aCase, ...caseSubject, round: 1 } },
  CaseReportAdded: {
    type: 'CaseReportAdded',
    data: { ...aCase, reportId: R, reason: 'under_age', priority: 'high', evidence: caseSubject.evidence },
  },
  CaseClaimed: { type: 'CaseClaimed', data: { ...aCase, moderatorId: 'mia' } },
  CaseReleased: { type: 'CaseReleased', data: { ...aCase, moderatorId: 'mia' } },
  CaseDecided: {
    type: 'CaseDecided',
    data: {
      ...aCase,
      ...caseSubject,
      decisionId: 'd1',
      round: 1,
      moderatorId: 'mia',
      outcome: 'hidden',
      rule: 'contact',
      facts: 'A number.',
      isAutomated: false,
      hidingRuleId: null,
      wasHidden: false,
      openedAt: '2026-01-01T00:00:00.000Z',
    },
  },
  AppealFiled: { type: 'AppealFiled', data: { ...aCase, decisionId: 'd1', accountId: 'anna', text: 'It is mine.' } },
  AppealDecided: {
    type: 'AppealDecided',
    data: {
      ...aCase,
      decisionId: 'd1',
      accountId: 'anna',
      moderatorId: 'max',
      outcome: 'overturned',
      facts: 'It is.',
      filedAt: '2026-01-02T00:00:00.000Z',
    },
  },
  ArticleDrafted: {
    type: 'ArticleDrafted',
    data: {
      ...article,
      title: 'Meeting safely',
      summary: 'What helps.',
      body: '## Before\n\nTell a friend.',
      state: 'NV',
      city: 'Las Vegas',
      tags: ['safety'],
      cover: 'm1',
    },
  },
  ArticleRevised: { type: 'ArticleRevised', data: { ...article, title: 'Meeting safely, the first time' } },
  ArticleScheduled: { type: 'ArticleScheduled', data: { ...article, publishAt: '2026-02-01T08:00:00.000Z' } },
  ArticleUnscheduled: { type: 'ArticleUnscheduled', data: article },
  ArticlePublished: { type: 'ArticlePublished', data: article },
  ArticleCorrected: {
    type: 'ArticleCorrected',
    data: { ...article, body: '## Before\n\nTell a friend where you are.', note: 'Clearer.' },
  },
  ArticleWithdrawn: { type: 'ArticleWithdrawn', data: { ...article, reason: null } },
  ArticleDiscarded: { type: 'ArticleDiscarded', data: article },
} as const satisfies Partial<Samples>;

const SHARED_IDS: Readonly<Record<string, string>> = { ...ad, ...media, ...thread, ...aCase, ...article };
const GOLDEN_EVENTS = path.resolve(import.meta.dirname, '../../tests/golden/events');

/**
 * Returns the data of an event from its golden file, which contains an example of this event. The ids are replaced by
 * the ids of this module. Throws if the event type has no golden file.
 */
function readGoldenData(type: string, version: number): DomainEvent['data'] {
  const { current } = JSON.parse(readFileSync(path.join(GOLDEN_EVENTS, `${type}.v${version}.json`), 'utf8')) as {
    readonly current: Readonly<Record<string, unknown>>;
  };
  const ids = Object.entries(SHARED_IDS).filter(([field]) => field in current);
  return { ...current, ...Object.fromEntries(ids) } as DomainEvent['data'];
}

/**
 * One event of every type. All events refer to the same account, ad and photo. The data of events without expected
 * values is from the golden file of the event type.
 */
export const SAMPLES: Samples = {
  ...EVENTS_WITH_EXPECTED_VALUES,
  ...(Object.fromEntries(
    EVENT_DEFINITIONS.filter(({ type }) => !(type in EVENTS_WITH_EXPECTED_VALUES)).map(({ type, version }) => [
      type,
      { type, data: readGoldenData(type, version) },
    ]),
  ) as Omit<Samples, keyof typeof EVENTS_WITH_EXPECTED_VALUES>),
};
