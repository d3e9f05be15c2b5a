import type { DomainEvent } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import type { Projection } from '../src/projection.ts';
import { PROJECTIONS } from '../src/projections/index.ts';
import { AT, minutesLater, project } from './given.ts';
import { SAMPLES } from './samples.ts';

const [adCards, adDetails, , mediaItems] = PROJECTIONS as [Projection, Projection, Projection, Projection];
const { AdPosted: posted, AdUpdated: updated, AdBumped: bumped, AdReviewed: reviewed, AdDeleted: deleted } = SAMPLES;

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

describe('media items', () => {
  const own = { mediaId: 'm1', ownerId: 'anna' };
  const uploaded = SAMPLES.MediaUploaded;
  test('MediaUploaded', () => {
    expect(project(mediaItems, uploaded)['m1']).toMatchObject({ status: 'processing', owner_id: 'anna', uploaded_at: AT, upload_event_id: 'event-0' });
  });
  test('PhotoVariantsMade', () => {
    const made: DomainEvent = { type: 'PhotoVariantsMade', data: { ...own, width: 10, height: 20, blur: 'data:', variants: [] } };
    expect(project(mediaItems, uploaded, made)['m1']).toMatchObject({ status: 'ready', width: 10, height: 20, blur: 'data:' });
  });
  test('VideoProbed', () => {
    const video: DomainEvent = { ...uploaded, data: { ...uploaded.data, kind: 'video', contentType: 'video/quicktime' } };
    expect(project(mediaItems, video)['m1']).toMatchObject({ kind: 'video', status: 'processing', duration_s: 0, content_type: null });
    expect(project(mediaItems, video, SAMPLES.VideoProbed)['m1']).toMatchObject({ status: 'ready', duration_s: 12, width: 10, height: 20, content_type: 'video/mp4' });
  });
  test('MediaRejected', () => {
    expect(project(mediaItems, uploaded, { type: 'MediaRejected', data: { ...own, code: 'NOT_AN_IMAGE', reason: 'no' } })['m1']).toMatchObject({ status: 'rejected', reason: 'no' });
  });
  test('MediaRemoved', () => {
    expect(project(mediaItems, uploaded, { type: 'MediaRemoved', data: own })).toEqual({});
  });
});
