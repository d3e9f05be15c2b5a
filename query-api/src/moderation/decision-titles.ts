import {
  listing,
  toCaseId,
  toDomainEvent,
  toStreamId,
  type Ad,
  type EventStore,
  type ListingEvent,
  type RecordedDomainEvent,
} from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import { createSubject, type DecisionRow } from './decision-rows.ts';
import { readTitles, type SubjectTitle } from './subject-titles.ts';

const PAGE_SIZE = 1_000;

interface TitleSources {
  readonly pool: Pool;
  readonly store: Pick<EventStore, 'readStream'>;
}

/** A decision about an ad, or about a photo or video of an ad. */
type DecisionAboutAd = Pick<DecisionRow, 'decision_id' | 'kind' | 'subject_id' | 'decided_at'>;

/** An ad at the time of a decision. */
interface NamedAd {
  readonly adId: string;
  readonly title: string;
  /** The position of the decided photo in the ad, from 1. Null for an ad and a video. */
  readonly number: number | null;
}

/**
 * Reads the titles of the content that decisions are about. Decisions about an ad, a photo or a video have the title
 * of the ad at the time of the decision, and the position of the photo at this time. If the ad was deleted
 * since, they have no path, also if the owner has posted another ad. Other decisions have the current titles. The keys
 * of the returned map are the ids of the decisions.
 */
export async function readDecisionTitles(
  { pool, store }: TitleSources,
  rows: readonly DecisionRow[],
): Promise<ReadonlyMap<string, SubjectTitle>> {
  const current = await readTitles(pool, rows.map(createSubject));
  const titles = new Map<string, SubjectTitle>();
  for (const row of rows) {
    const title = current.get(toCaseId(createSubject(row)));
    if (title) titles.set(row.decision_id, title);
  }
  const ownerIds = new Set(rows.filter(isAboutAd).map(({ owner_id }) => owner_id));
  for (const ownerId of ownerIds) {
    if (ownerId === null) continue;
    const decided = rows.filter((row) => isAboutAd(row) && row.owner_id === ownerId);
    const { ads, lastAd } = await readDecidedAds(store, ownerId, decided);
    for (const row of decided) {
      const title = titles.get(row.decision_id);
      const ad = ads.get(row.decision_id);
      if (!title || !ad) continue;
      const isUp =
        lastAd !== null && (lastAd.adId === ad.adId || (row.kind === 'media' && shows(lastAd, row.subject_id)));
      titles.set(row.decision_id, {
        ...title,
        title: ad.title === '' ? null : ad.title,
        path: isUp ? title.path : null,
        file: title.file && { ...title.file, number: ad.number },
      });
    }
  }
  return titles;
}

const isAboutAd = ({ kind }: Pick<DecisionRow, 'kind'>) => kind === 'ad' || kind === 'media';
const shows = ({ photos, video }: Ad, mediaId: string) => photos.includes(mediaId) || video === mediaId;

/**
 * Reads the events of the ads of an account. Returns the ad that each decision is about at the time of the decision,
 * and the current ad. A file that no ad showed at this time belongs to the last ad that showed it before.
 */
async function readDecidedAds(
  store: TitleSources['store'],
  ownerId: string,
  decisions: readonly DecisionAboutAd[],
): Promise<{ readonly ads: ReadonlyMap<string, NamedAd>; readonly lastAd: Ad | null }> {
  const waiting = decisions.toSorted((one, other) => one.decided_at.getTime() - other.decided_at.getTime());
  const subjectIds = new Set(decisions.map(({ subject_id }) => subject_id));
  const ads = new Map<string, NamedAd>();
  const named = new Map<string, NamedAd>();
  let slot = listing.initial;
  const nameUntil = (at: string | null) => {
    for (let next = waiting[0]; next && (at === null || next.decided_at.toISOString() < at); next = waiting[0]) {
      const ad = named.get(next.subject_id);
      if (ad) ads.set(next.decision_id, ad);
      waiting.shift();
    }
  };
  const nameShown = ({ adId, title, photos, video }: Ad) => {
    if (subjectIds.has(adId)) named.set(adId, { adId, title, number: null });
    for (const [index, id] of photos.entries())
      if (subjectIds.has(id)) named.set(id, { adId, title, number: index + 1 });
    if (video !== null && subjectIds.has(video)) named.set(video, { adId, title, number: null });
  };
  for (let from = 0; ; from += PAGE_SIZE) {
    const page = await store.readStream(toStreamId(listing, ownerId), { from, limit: PAGE_SIZE });
    for (const recorded of page) {
      const event = toDomainEvent(recorded) as RecordedDomainEvent<ListingEvent> | null;
      if (!event) continue;
      nameUntil(event.meta.at);
      slot = listing.evolve(slot, event, event.meta.at);
      if ((event.type === 'AdPosted' || event.type === 'AdUpdated') && slot.ad) nameShown(slot.ad);
    }
    if (page.length < PAGE_SIZE) break;
  }
  nameUntil(null);
  return { ads, lastAd: slot.ad };
}
