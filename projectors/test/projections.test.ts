import type { DomainEvent } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import type { Projection } from '../src/projection.ts';
import { PROJECTIONS } from '../src/projections/index.ts';
import { AT, minutesLater, project } from './given.ts';

const [adCards, adDetails, accounts, mediaItems] = PROJECTIONS as [Projection, Projection, Projection, Projection];
const ids = { accountId: 'anna', adId: 'ad-1' };
const posted: DomainEvent = {
  type: 'AdPosted',
  data: {
    ...ids,
    clientId: null,
    name: 'Anna',
    title: 'Good company',
    category: 'escort',
    state: 'FL',
    city: 'St. Petersburg',
    description: 'Calm.',
    price: null,
    body: null,
    phone: '+1 555 0100',
    socialMedia: null,
    photos: ['m1'],
    isDemo: false,
  },
};
const updated: DomainEvent = { type: 'AdUpdated', data: { ...ids, title: 'New', city: 'Miami', description: 'Calmer.', phone: null } };
const bumped: DomainEvent = { type: 'AdBumped', data: ids };
const reviewed: DomainEvent = { type: 'AdReviewed', data: { ...ids, reviewerId: null, reviewId: 'r1', name: 'Ben', comment: 'Kind.', rating: 4 } };
const deleted: DomainEvent = { type: 'AdDeleted', data: ids };

describe('ad cards', () => {
  test('AdPosted lists the ad', () => {
    expect(project(adCards, posted)).toMatchObject({
      anna: { ad_id: 'ad-1', title: 'Good company', city_slug: 'st-petersburg', photos: ['m1'], bump_count: 0, created_at: minutesLater(0), last_bumped_at: minutesLater(0), revision: 0 },
    });
  });
  test('AdUpdated changes fields, and never the place in the list', () => {
    expect(project(adCards, posted, updated)['anna']).toMatchObject({ title: 'New', city: 'Miami', city_slug: 'miami', name: 'Anna', updated_at: minutesLater(1), last_bumped_at: minutesLater(0), revision: 1 });
  });
  test('AdBumped moves the ad up', () => {
    expect(project(adCards, posted, bumped)['anna']).toMatchObject({ bump_count: 1, last_bumped_at: minutesLater(1) });
  });
  test('AdReviewed counts', () => {
    expect(project(adCards, posted, reviewed, reviewed)['anna']).toMatchObject({ rating_sum: 8, review_count: 2 });
  });
  test('AdDeleted takes it off', () => {
    expect(project(adCards, posted, deleted)).toEqual({});
  });
  test('the next ad of the same provider starts anew', () => {
    expect(project(adCards, posted, bumped, deleted, { ...posted, data: { ...posted.data, adId: 'ad-2' } })['anna']).toMatchObject({ ad_id: 'ad-2', bump_count: 0, created_at: minutesLater(3) });
  });
  test('holds nothing that only the ad page shows', () => {
    expect(JSON.stringify(project(adCards, posted))).not.toContain('555');
  });
});

describe('ad details', () => {
  test('AdPosted', () => {
    expect(project(adDetails, posted)['anna']).toMatchObject({ ad_id: 'ad-1', description: 'Calm.', phone: '+1 555 0100', reviews: [] });
  });
  test('AdUpdated takes a field away', () => {
    expect(project(adDetails, posted, updated)['anna']).toMatchObject({ description: 'Calmer.', phone: null });
  });
  test('AdReviewed adds the words', () => {
    expect(project(adDetails, posted, reviewed)['anna']).toMatchObject({ reviews: [{ name: 'Ben', comment: 'Kind.', rating: 4 }] });
  });
  test('AdDeleted', () => {
    expect(project(adDetails, posted, deleted)).toEqual({});
  });
});

describe('accounts', () => {
  const registered: DomainEvent = {
    type: 'AccountRegistered',
    data: { accountId: 'anna', email: 'a@example.com', passwordHash: 'secret', userType: 'provider', displayName: 'Anna', age: 30, isDemo: false },
  };
  test('AccountRegistered', () => {
    const rows = project(accounts, registered);
    expect(rows['anna']).toMatchObject({ email: 'a@example.com', email_verified: false });
    expect(JSON.stringify(rows)).not.toContain('secret');
  });
  test('EmailVerified', () => {
    expect(project(accounts, registered, { type: 'EmailVerified', data: { accountId: 'anna' } })['anna']).toMatchObject({ email_verified: true });
  });
});

describe('media items', () => {
  const own = { mediaId: 'm1', ownerId: 'anna' };
  const uploaded: DomainEvent = { type: 'MediaUploaded', data: { ...own, kind: 'photo', sizeBytes: 1, contentType: 'image/jpeg' } };
  test('MediaUploaded', () => {
    expect(project(mediaItems, uploaded)['m1']).toMatchObject({ status: 'processing', owner_id: 'anna', uploaded_at: AT, upload_event_id: 'event-0' });
  });
  test('PhotoVariantsMade', () => {
    const made: DomainEvent = { type: 'PhotoVariantsMade', data: { ...own, width: 10, height: 20, blur: 'data:', variants: [] } };
    expect(project(mediaItems, uploaded, made)['m1']).toMatchObject({ status: 'ready', width: 10, height: 20, blur: 'data:' });
  });
  test('MediaRejected', () => {
    expect(project(mediaItems, uploaded, { type: 'MediaRejected', data: { ...own, code: 'NOT_AN_IMAGE', reason: 'no' } })['m1']).toMatchObject({ status: 'rejected', reason: 'no' });
  });
  test('MediaRemoved', () => {
    expect(project(mediaItems, uploaded, { type: 'MediaRemoved', data: own })).toEqual({});
  });
});

test('every column of every projection is written by its first event', () => {
  const first: Record<string, DomainEvent> = {
    ad_cards: posted,
    ad_details: posted,
    accounts: { type: 'AccountRegistered', data: { accountId: 'anna', email: '', passwordHash: null, userType: 'client', displayName: '', age: 18, isDemo: true } },
    media_items: { type: 'MediaUploaded', data: { mediaId: 'm1', ownerId: 'anna', kind: 'photo', sizeBytes: 1, contentType: '' } },
  };
  for (const projection of PROJECTIONS) {
    const event = first[projection.name];
    if (!event) throw new Error(`${projection.name} has no sample event here`);
    const [row] = Object.values(project(projection, event));
    expect(Object.keys(row ?? {}), projection.name).toEqual(Object.keys(projection.columns));
  }
});

test('every event a projection handles is part of this file', () => {
  const tested = new Set(['AdPosted', 'AdUpdated', 'AdBumped', 'AdDeleted', 'AdReviewed', 'AccountRegistered', 'EmailVerified', 'MediaUploaded', 'PhotoVariantsMade', 'MediaRejected', 'MediaRemoved']);
  for (const projection of PROJECTIONS) for (const type of Object.keys(projection.on)) expect(tested.has(type), `${projection.name}: ${type}`).toBe(true);
});
