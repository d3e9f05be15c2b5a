import type { Recorded } from '../events.ts';
import type { ListingEvent } from '../listing/events.ts';
import { canAdBeHidden } from '../listing/decide.ts';
import { wordsIn } from '../listing/search-words.ts';
import { listing, type Ad } from '../listing/state.ts';
import type { Subject } from '../moderation/subject.ts';
import type { RuleConditions } from './fields.ts';

const DAY_ms = 24 * 60 * 60_000;

/** A report as rules count it. */
export interface CountedReport {
  readonly subject: Subject;
  /** When it was filed, ISO 8601. */
  readonly at: string;
}

/** An ad at a moment, with what rules ask beside it. */
export interface AdAtMoment {
  readonly ad: Ad;
  readonly accountId: string;
  /** Null where it is not known; such an account is of no young age. */
  readonly registeredAt: string | null;
  readonly reports: readonly CountedReport[];
  readonly at: string;
}

/** Whether all conditions hold that are given. */
export function meetsConditions(
  { category, phrases, youngerThanDays, minReports }: RuleConditions,
  { ad, accountId, registeredAt, reports, at }: AdAtMoment,
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
  return phrases.length === 0 || hasPhrase(phrases, textsOf(ad));
}

/** The ad itself, a picture or the video it shows, or its owner's profile. */
function isAbout({ kind, id }: Subject, ad: Ad, accountId: string): boolean {
  if (kind === 'ad') return id === ad.adId;
  if (kind === 'media') return ad.photos.includes(id) || ad.video === id;
  return kind === 'account' && id === accountId;
}

/** Everything a poster writes that others read. */
function textsOf({ title, name, description, body, price, phone }: Ad): readonly string[] {
  return [title, name, description, body, price, phone].filter((text) => text !== null);
}

/** Whether one of the phrases stands in one of the texts: whole words in this order, whatever their case, accents and what is between them. */
export function hasPhrase(phrases: readonly string[], texts: readonly string[]): boolean {
  const wanted = phrases.map(inWords);
  return texts.map(inWords).some((text) => wanted.some((phrase) => phrase.trim() !== '' && text.includes(phrase)));
}

function inWords(text: string): string {
  return ` ${wordsIn(text).join(' ')} `;
}

/** All that happened to the ads of one account, as far as rules ask. */
export interface SlotHistory {
  readonly accountId: string;
  readonly registeredAt: string | null;
  /** Of its listing, the first one first. */
  readonly events: readonly Recorded<ListingEvent>[];
  readonly reports: readonly CountedReport[];
}

/** An ad that a rule would have hidden, at the first moment it would have. */
export interface WouldHide {
  readonly adId: string;
  readonly accountId: string;
  /** As it was at that moment; empty once its owner is erased. */
  readonly title: string;
  readonly at: string;
  readonly because: 'posted' | 'edited' | 'reported';
  /** Whether it is up now. */
  readonly isUp: boolean;
}

/**
 * What a rule would have hidden, had it always been on: it looks at an ad when it is posted, edited or reported, and leaves alone what is
 * hidden already or a moderator has let stand. Each ad once.
 */
export function wouldHide(
  conditions: RuleConditions,
  { accountId, registeredAt, events, reports }: SlotHistory,
): readonly WouldHide[] {
  const found = new Map<string, Omit<WouldHide, 'isUp'>>();
  const waiting = [...reports].sort((a, b) => (a.at < b.at ? -1 : 1));
  let state = listing.initial;

  const look = (at: string, because: WouldHide['because']) => {
    const { ad } = state;
    if (!ad || found.has(ad.adId) || !canAdBeHidden(state)) return;
    if (meetsConditions(conditions, { ad, accountId, registeredAt, reports, at }))
      found.set(ad.adId, { adId: ad.adId, accountId, title: ad.title, at, because });
  };
  const reportedBefore = (at: string | null) => {
    for (let next = waiting[0]; next && (at === null || next.at < at); next = waiting[0]) {
      waiting.shift();
      look(next.at, 'reported');
    }
  };
  for (const event of events) {
    const { at } = event.meta;
    reportedBefore(at);
    state = listing.evolve(state, event, at);
    if (event.type === 'AdPosted') look(at, 'posted');
    if (event.type === 'AdUpdated') look(at, 'edited');
  }
  reportedBefore(null);
  return [...found.values()].map((one) => ({ ...one, isUp: state.ad?.adId === one.adId }));
}
