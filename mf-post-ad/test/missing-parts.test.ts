import { expect, test } from 'vitest';
import { EMPTY_VALUES } from '../src/form/form-values.ts';
import { findMissingParts } from '../src/form/missing-parts.ts';

const FULL = {
  ...EMPTY_VALUES,
  title: 'An evening by the lake',
  description: 'Calm and kind company. '.repeat(7),
  price: '200',
  phone: '+1 702 555 0199',
};

test('a new ad lacks everything, the contact first', () => {
  expect(findMissingParts(EMPTY_VALUES, { photos: 0, contactsInTexts: 0 })).toEqual([
    'contact',
    'photo',
    'price',
    'description',
    'title',
  ]);
});

test('a thin ad lacks what visitors need', () => {
  expect(
    findMissingParts({ ...FULL, title: 'Kurz', description: 'Ruhig.', price: ' ' }, { photos: 1, contactsInTexts: 0 }),
  ).toEqual(['price', 'description', 'title']);
});

test('one link is a way of contact', () => {
  const socialMedia = { ...EMPTY_VALUES.socialMedia, instagram: '@anna' };
  expect(findMissingParts({ ...FULL, phone: '', socialMedia }, { photos: 1, contactsInTexts: 0 })).toEqual([]);
  expect(findMissingParts({ ...FULL, phone: ' ' }, { photos: 1, contactsInTexts: 0 })).toEqual(['contact']);
});

test('a phone number in the description is a way of contact, as for visitors', () => {
  expect(findMissingParts({ ...FULL, phone: '' }, { photos: 1, contactsInTexts: 1 })).toEqual([]);
});
