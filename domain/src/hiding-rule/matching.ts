import type { RecordedDomainEvent } from '../events.ts';
import { AD_TEXTS, pick } from '../listing/ad-fields.ts';
import type { ListingEvent } from '../listing/events.ts';
import { splitWords } from '../listing/search-words.ts';
import type { Ad } from '../listing/slot.ts';
import { isAdHidden, listing } from '../listing/state.ts';
import type { Subject } from '../moderation/subject.ts';
import type { RuleConditions } from './fields.ts';

const DAY_ms = 24 * 60 * 60_000;

/** The fields of a report about content that the conditions of hiding rules need. */
export interface RuleReport {
  readonly subject: Subject;
  /** The time at which the report was filed, ISO 8601. */
  readonly at: string;
}

/** The state of an ad at one moment, with all other data that the conditions of hiding rules need. */
export interface RuleSubject {
  readonly ad: Ad;
  readonly accountId: string;
  /** The time of the owner's sign-up. If the time is unknown (null), the account never counts as young. */
  readonly registeredAt: string | null;
  readonly reports: readonly RuleReport[];
  readonly at: string;
}

/** Checks whether an ad meets all conditions of a hiding rule. Conditions that are not set are ignored. */
export function meetsConditions(
  { category, phrases, youngerThanDays, minReports }: RuleConditions,
  { ad, accountId, registeredAt, reports, at }: RuleSubject,
): boolean {
  if (category !== null && ad.category !== category) return false;
  if (
    youngerThanDays !== null &&
    (registeredAt === null || Date.parse(at) - Date.parse(registeredAt) >= youngerThanDays * DAY_ms)
  )
    return false;
  if (
    minReports !== null &&
    reports.filter((report) => report.at <= at && isAbout(report.subject, ad, accountId)).length < minReports
  )
    return false;
  return phrases.length === 0 || containsPhrase(phrases, textsOf(ad));
}

/** Checks whether a report is about the ad, one of its pictures, its video, or the profile of its owner. */
function isAbout({ kind, id }: Subject, ad: Ad, accountId: string): boolean {
  if (kind === 'ad') return id === ad.adId;
  if (kind === 'media') return ad.photos.includes(id) || ad.video === id;
  return kind === 'account' && id === accountId;
}

/** Returns the texts of an ad that its poster has written. */
function textsOf(ad: Ad): readonly string[] {
  return Object.values(pick(ad, AD_TEXTS)).filter((text) => text !== null);
}

/**
 * Checks whether at least one of the texts contains at least one of the phrases. The words of a phrase must occur in
 * order. Case, accents and the characters between words are ignored.
 */
export function containsPhrase(phrases: readonly string[], texts: readonly string[]): boolean {
  const wanted = phrases.map(toWordSequence);
  return texts
    .map(toWordSequence)
    .some((text) => wanted.some((phrase) => phrase.trim() !== '' && text.includes(phrase)));
}

function toWordSequence(text: string): string {
  return ` ${splitWords(text).join(' ')} `;
}

/** The history of the ads of one account, with all other data that the conditions of hiding rules need. */
export interface AccountAdHistory {
  readonly accountId: string;
  readonly registeredAt: string | null;
  /** The events of all ads of the account, in chronological order. */
  readonly events: readonly RecordedDomainEvent<ListingEvent>[];
  readonly reports: readonly RuleReport[];
  /** The decisions of moderators that confirmed an ad of the account, in chronological order. */
  readonly confirmations: readonly AdConfirmation[];
}

/** A moderator has confirmed the version of an ad that results from the events up to `revision`. */
export interface AdConfirmation {
  readonly adId: string;
  readonly revision: number;
  /** The time of the decision in ISO 8601. */
  readonly at: string;
}

/** An ad that a hiding rule would have hidden, with the first time at which the ad met the conditions of the rule. */
export interface RuleTrialHit {
  readonly adId: string;
  readonly accountId: string;
  /** The title of the ad at that time. Empty if the personal data of the owner was erased. */
  readonly title: string;
  /** The name of the owner in the ad at that time. Empty if the personal data of the owner was erased. */
  readonly name: string;
  readonly state: string;
  readonly city: string;
  readonly at: string;
  readonly because: 'posted' | 'edited' | 'reported';
  /** True if the ad is online now. */
  readonly isUp: boolean;
}

/**
 * Returns the ads that a hiding rule would have hidden. The conditions are checked for each time at which an ad was
 * posted, edited or reported. A check is skipped if the ad was hidden at that time, or if a moderator had confirmed it.
 * Each ad is returned at most once.
 */
export function findRuleTrialHits(
  conditions: RuleConditions,
  { accountId, registeredAt, events, reports, confirmations }: AccountAdHistory,
): readonly RuleTrialHit[] {
  const hits = new Map<string, Omit<RuleTrialHit, 'isUp'>>();
  const pendingReports = [...reports].sort((a, b) => (a.at < b.at ? -1 : 1));
  let state = listing.initial;

  const check = (at: string, because: RuleTrialHit['because']) => {
    const { ad } = state;
    if (!ad || hits.has(ad.adId) || isAdHidden(ad)) return;
    const isConfirmedAd = confirmations.some(
      (one) => one.adId === ad.adId && one.revision >= ad.contentRevision && one.at <= at,
    );
    if (isConfirmedAd) return;
    if (meetsConditions(conditions, { ad, accountId, registeredAt, reports, at }))
      hits.set(ad.adId, {
        adId: ad.adId,
        accountId,
        title: ad.title,
        name: ad.name,
        state: ad.state,
        city: ad.city,
        at,
        because,
      });
  };
  const checkReportsBefore = (at: string | null) => {
    for (let next = pendingReports[0]; next && (at === null || next.at < at); next = pendingReports[0]) {
      pendingReports.shift();
      check(next.at, 'reported');
    }
  };
  for (const event of events) {
    const { at } = event.meta;
    checkReportsBefore(at);
    state = listing.evolve(state, event, at);
    if (event.type === 'AdPosted') check(at, 'posted');
    if (event.type === 'AdUpdated') check(at, 'edited');
  }
  checkReportsBefore(null);
  return [...hits.values()].map((hit) => ({ ...hit, isUp: state.ad?.adId === hit.adId }));
}
