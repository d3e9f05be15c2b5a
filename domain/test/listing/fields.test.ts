import { describe, expect, test } from 'vitest';
import { updateAdFields, parsePhotoUrl, newAdFields, reviewFields, parseVideoUrl } from '../../src/listing/fields.ts';

const valid = {
  name: 'Anna',
  title: 'Good company',
  category: 'escort',
  state: 'NV',
  city: 'Las Vegas',
  description: 'Calm.',
};
const photo = (id: string) => `/uploads/photos/${id}/1600.jpg`;
const messageOf = (input: unknown) => newAdFields.safeParse(input).error?.issues[0]?.message ?? null;

describe('a new ad', () => {
  test('requires only the required fields, and defaults the others to null or empty', () => {
    expect(newAdFields.parse(valid)).toEqual({
      ...valid,
      price: null,
      body: null,
      phone: null,
      socialMedia: null,
      photos: [],
      video: null,
    });
  });
  test.each(['name', 'title', 'state', 'city', 'description'])('without %s is rejected', (field) => {
    expect(messageOf({ ...valid, [field]: undefined })).toBe('Please fill in all required fields');
    expect(messageOf({ ...valid, [field]: '   ' })).toBe('Please fill in all required fields');
    expect(messageOf({ ...valid, [field]: 7 })).toBe('Please fill in all required fields');
  });
  test.each([
    ['an unknown category', { category: 'other' }, 'Please choose a category'],
    ['a city of another state', { city: 'Albany' }, 'Please choose a state and one of its cities'],
    ['an unknown state', { state: 'ZZ' }, 'Please choose a state and one of its cities'],
    ['a title that is too long', { title: 'x'.repeat(121) }, 'Title must be at most 120 characters'],
    ['a phone of letters', { phone: 'call me' }, 'Please enter a valid phone number'],
    [
      'a script as a website',
      { socialMedia: { website: 'javascript:alert(1)' } },
      'Website must start with http:// or https://',
    ],
    [
      'a script as a handle',
      { socialMedia: { instagram: 'javascript:alert(1)' } },
      'Instagram must be a handle or a web address',
    ],
    ['six photos', { photos: [1, 2, 3, 4, 5, 6].map((id) => photo(String(id))) }, 'Maximum 5 photos allowed'],
    ['the same photo twice', { photos: [photo('a'), photo('a')] }, 'The same photo is listed twice'],
    ['a photo from elsewhere', { photos: ['https://example.com/a.jpg'] }, 'Use the photo URL that the upload returned'],
    ['a video from elsewhere', { video: 'https://example.com/a.mp4' }, 'Use the video URL that the upload returned'],
    ['a photo as its video', { video: photo('a') }, 'Use the video URL that the upload returned'],
    ['a video as a photo', { photos: ['/uploads/video/a'] }, 'Use the photo URL that the upload returned'],
    ['a list as its video', { video: ['/uploads/video/a'] }, 'Use the video URL that the upload returned'],
    ['a null character', { title: 'a\u0000b' }, 'Title contains characters that cannot be displayed'],
    ['half a surrogate pair', { title: 'a\ud800b' }, 'Title contains characters that cannot be displayed'],
  ])('with %s is rejected', (_what, change, message) => {
    expect(messageOf({ ...valid, ...change })).toBe(message);
  });
  test('treats blank optional fields as null', () => {
    expect(
      newAdFields.parse({ ...valid, phone: ' ', price: '', video: ' ', socialMedia: { instagram: '' } }),
    ).toMatchObject({
      phone: null,
      price: null,
      video: null,
      socialMedia: { instagram: null },
    });
  });
  test('drops the fields that the server sets', () => {
    expect(newAdFields.parse({ ...valid, verified: true, views: 99, isFeatured: true })).not.toHaveProperty('verified');
  });
});

describe('changes to an ad', () => {
  test('keep an absent field absent', () => {
    expect(updateAdFields.parse({ title: ' New ' })).toEqual({ title: 'New' });
  });
  test('remove an optional field with null', () => {
    expect(updateAdFields.parse({ phone: null, socialMedia: null, video: null })).toEqual({
      phone: null,
      socialMedia: null,
      video: null,
    });
  });
  test('cannot empty a required field', () => {
    expect(updateAdFields.safeParse({ title: '' }).error?.issues[0]?.message).toBe(
      'Please fill in all required fields',
    );
  });
});

test.each([
  ['/uploads/photos/m-1/1600.jpg', 'm-1'],
  ['/uploads/photos/m-1', 'm-1'],
  ['photos/m-1/640.avif', 'm-1'],
  ['https://alpenglow.example/uploads/photos/m-1/320.webp', 'm-1'],
  ['/uploads/photos/../secret', null],
  ['/other/m-1', null],
])('the media id in the photo URL %s is %s', (url, id) => {
  expect(parsePhotoUrl(url)).toBe(id);
});

test.each([
  ['/uploads/video/m-1', 'm-1'],
  ['uploads/video/m-1', 'm-1'],
  ['video/m-1', 'm-1'],
  ['https://alpenglow.example/uploads/video/m-1', 'm-1'],
  ['/uploads/video/m-1/extra', null],
  ['/uploads/video/../secret', null],
  ['/uploads/photos/m-1/1600.jpg', null],
])('the media id in the video URL %s is %s', (url, id) => {
  expect(parseVideoUrl(url)).toBe(id);
});

describe('a review', () => {
  const review = { comment: 'Kind.', rating: 5 };
  const errorOf = (input: unknown) => reviewFields.safeParse(input).error?.issues[0]?.message ?? null;

  test('requires a comment and a rating, but no name', () => {
    expect(reviewFields.parse(review)).toEqual({ ...review, name: null });
    expect(reviewFields.parse({ ...review, name: ' Ben ' })).toEqual({ ...review, name: 'Ben' });
    expect(reviewFields.parse({ ...review, name: ' ' })).toEqual({ ...review, name: null });
  });
  test.each([
    ['no comment', { rating: 5 }, 'Please fill in all required fields'],
    ['a blank comment', { ...review, comment: ' ' }, 'Please fill in all required fields'],
    ['no rating', { comment: 'Kind.' }, 'Please fill in all required fields'],
    ['a comment that is too long', { ...review, comment: 'x'.repeat(1001) }, 'Comment must be at most 1000 characters'],
    ['a name that is too long', { ...review, name: 'x'.repeat(61) }, 'Name must be at most 60 characters'],
    ['rating 0', { ...review, rating: 0 }, 'Rating must be a whole number from 1 to 5'],
    ['rating 6', { ...review, rating: 6 }, 'Rating must be a whole number from 1 to 5'],
    ['rating 4.5', { ...review, rating: 4.5 }, 'Rating must be a whole number from 1 to 5'],
    ['a rating in words', { ...review, rating: '5' }, 'Rating must be a whole number from 1 to 5'],
    ['a rating that is no number', { ...review, rating: NaN }, 'Rating must be a whole number from 1 to 5'],
  ])('with %s is rejected', (_what, input, message) => {
    expect(errorOf(input)).toBe(message);
  });
  test.each([1, 2, 3, 4, 5])('with rating %i is accepted', (rating) => {
    expect(errorOf({ ...review, rating })).toBeNull();
  });
});
