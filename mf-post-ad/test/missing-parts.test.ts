import { expect, test } from 'vitest';
import { EMPTY_VALUES, findInvalidFields, toFieldNames, type FormValues } from '../src/form/form-values.ts';
import { findFieldsToCorrect, findMissingParts as findParts } from '../src/form/missing-parts.ts';

const FULL = {
  ...EMPTY_VALUES,
  name: 'Anna',
  title: 'An evening by the lake',
  category: 'companion',
  state: 'NV',
  city: 'Reno',
  description: 'Calm and kind company. '.repeat(7),
  price: '200',
  phone: '+1 702 555 0199',
};

const findMissingParts = (values: FormValues, others: { photos: number; contactsInTexts: number }) =>
  findParts(values, { ...others, invalidFields: findInvalidFields(values) });

test('a new ad lacks everything, the contact first', () => {
  expect(findMissingParts(EMPTY_VALUES, { photos: 0, contactsInTexts: 0 })).toEqual([
    'contact',
    'photo',
    'price',
    'description',
    'title',
    'fields',
  ]);
  expect(findFieldsToCorrect(EMPTY_VALUES, findInvalidFields(EMPTY_VALUES)), 'other than missing parts').toEqual([
    'name',
    'category',
    'state',
    'city',
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

test('an ad with an invalid field is not complete', () => {
  const all = { photos: 1, contactsInTexts: 0 };
  expect(findMissingParts(FULL, all)).toEqual([]);
  const invalid = [
    [{ phone: 'call me' }, 'phone'],
    [{ price: '-100' }, 'price'],
    [{ name: ' ' }, 'name'],
    [{ category: '' }, 'category'],
    [{ city: '' }, 'city'],
    [{ state: 'CA' }, 'city'],
    [{ title: 'x'.repeat(121) }, 'title'],
    [{ socialMedia: { ...EMPTY_VALUES.socialMedia, website: 'javascript:alert(1)' } }, 'website'],
  ] as const;
  for (const [changes, field] of invalid) {
    const values = { ...FULL, ...changes };
    expect(findInvalidFields(values), field).toEqual([field]);
    expect(findMissingParts(values, all), field).toEqual(['fields']);
  }
});

test('a field that only the server rejects is to be corrected', () => {
  const invalidFields = toFieldNames([['socialMedia', 'instagram'], ['phone']]);
  expect(findParts(FULL, { photos: 1, contactsInTexts: 0, invalidFields })).toEqual(['fields']);
  expect(findFieldsToCorrect(FULL, invalidFields)).toEqual(['phone', 'instagram']);
});
