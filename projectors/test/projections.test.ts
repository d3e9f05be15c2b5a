import type { DomainEvent } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import type { Projection } from '../src/projection.ts';
import { PROJECTIONS } from '../src/projections/index.ts';
import { minutesLater, STARTED_AT, project } from './project.ts';
import { SAMPLES } from './samples.ts';

const [adDetails, mediaItems] = ['ad_details', 'media_items'].map((projectionName) =>
  PROJECTIONS.find(({ name }) => name === projectionName),
) as [Projection, Projection];
const {
  AdPosted: posted,
  AdUpdated: updated,
  AdReviewed: reviewed,
  AdReviewEdited: reviewEdited,
  AdReviewDeleted: reviewDeleted,
  AdReviewRemoved: reviewRemoved,
  AdDeleted: deleted,
} = SAMPLES;

describe('ad details', () => {
  test('AdPosted creates the row', () => {
    expect(project(adDetails, posted)['anna']).toMatchObject({
      ad_id: 'ad-1',
      description: 'Calm.',
      phone: '+1 555 0100',
      written_reviews: [],
    });
  });
  test('AdUpdated clears a field', () => {
    expect(project(adDetails, posted, updated)['anna']).toMatchObject({ description: 'Calmer.', phone: null });
  });
  test('AdReviewed adds the review', () => {
    expect(project(adDetails, posted, reviewed)['anna']).toMatchObject({
      written_reviews: [
        {
          id: 'r1',
          reviewerId: null,
          name: 'Ben',
          comment: 'Kind.',
          rating: 4,
          createdAt: minutesLater(1),
          editedAt: null,
          isRemoved: false,
        },
      ],
    });
  });
  test('AdReviewEdited changes the review, but not its date', () => {
    expect(project(adDetails, posted, reviewed, reviewEdited)['anna']).toMatchObject({
      written_reviews: [
        { name: 'Ben', comment: 'Kind, late.', rating: 2, createdAt: minutesLater(1), editedAt: minutesLater(2) },
      ],
    });
  });
  test('AdReviewDeleted removes the review', () => {
    expect(project(adDetails, posted, reviewed, reviewDeleted)['anna']).toMatchObject({ written_reviews: [] });
  });
  test('AdReviewRemoved removes the texts of the review', () => {
    expect(project(adDetails, posted, reviewed, reviewRemoved)['anna']).toMatchObject({
      written_reviews: [{ id: 'r1', name: '', comment: '', isRemoved: true }],
    });
  });
  test('AdDeleted removes the row', () => {
    expect(project(adDetails, posted, deleted)).toEqual({});
  });
  test('AdDeleted keeps only the reviews, for an ad that continues the deleted one', () => {
    const earlier = { adId: 'ad-1', createdAt: '', lastBumpedAt: '', ratingSum: 4, reviewCount: 1 };
    const next = { ...posted.data, adId: 'ad-2' };
    const continued = { type: 'AdPosted', data: { ...next, earlier } } as const;
    expect(project(adDetails, posted, reviewed, deleted)['anna']).toMatchObject({
      description: '',
      body: null,
      phone: null,
      social_media: null,
      written_reviews: [{ id: 'r1' }],
    });
    expect(project(adDetails, posted, reviewed, deleted, continued)['anna']).toMatchObject({
      ad_id: 'ad-2',
      written_reviews: [{ id: 'r1', isOfEarlierAd: true }],
    });
    expect(project(adDetails, posted, reviewed, deleted, { type: 'AdPosted', data: next })['anna']).toMatchObject({
      written_reviews: [],
    });
  });
});

describe('media items', () => {
  const own = { mediaId: 'm1', ownerId: 'anna' };
  const uploaded = SAMPLES.MediaUploaded;
  test('MediaUploaded creates a row that is processing', () => {
    expect(project(mediaItems, uploaded)['m1']).toMatchObject({
      status: 'processing',
      owner_id: 'anna',
      uploaded_at: STARTED_AT,
      upload_event_id: 'event-0',
    });
  });
  test('PhotoVariantsMade sets size, blur and hash', () => {
    const made: DomainEvent = {
      type: 'PhotoVariantsMade',
      data: { ...own, width: 10, height: 20, blur: 'data:', hash: '00ff'.repeat(16), variants: [] },
    };
    expect(project(mediaItems, uploaded, made)['m1']).toMatchObject({
      status: 'ready',
      width: 10,
      height: 20,
      blur: 'data:',
      hash: '00ff'.repeat(16),
    });
  });
  test('a hash of an earlier version is ignored, until PhotoHashed sets the current one', () => {
    const made: DomainEvent = {
      type: 'PhotoVariantsMade',
      data: { ...own, width: 10, height: 20, blur: 'data:', hash: '00ff00ff00ff00ff', variants: [] },
    };
    expect(project(mediaItems, uploaded, made)['m1']).toMatchObject({ status: 'ready', hash: null, hash_keys: [] });
    const row = project(mediaItems, uploaded, made, SAMPLES.PhotoHashed)['m1'];
    expect(row).toMatchObject({ status: 'ready', hash: '0ff0'.repeat(16) });
    expect(row?.['hash_keys']).not.toEqual([]);
    expect(project(mediaItems, uploaded, made, SAMPLES.PhotoHashed, SAMPLES.MediaRejected)['m1']).toMatchObject({
      hash: null,
      hash_keys: [],
    });
  });
  test('VideoProbed sets duration, size, content type and the missing seconds', () => {
    const video: DomainEvent = {
      ...uploaded,
      data: { ...uploaded.data, kind: 'video', contentType: 'video/quicktime' },
    };
    expect(project(mediaItems, video)['m1']).toMatchObject({
      kind: 'video',
      status: 'processing',
      duration_s: 0,
      content_type: null,
      shortened_s: 0,
    });
    expect(project(mediaItems, video, SAMPLES.VideoProbed)['m1']).toMatchObject({
      status: 'ready',
      duration_s: 12,
      width: 10,
      height: 20,
      content_type: 'video/mp4',
      shortened_s: 1.5,
    });
  });
  test('MediaRejected sets the reason', () => {
    expect(
      project(mediaItems, uploaded, { type: 'MediaRejected', data: { ...own, code: 'NOT_AN_IMAGE', reason: 'no' } })[
        'm1'
      ],
    ).toMatchObject({ status: 'rejected', reason: 'no' });
  });
  test('MediaRemoved removes the row', () => {
    expect(project(mediaItems, uploaded, { type: 'MediaRemoved', data: own })).toEqual({});
  });
});
