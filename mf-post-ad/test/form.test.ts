import { describe, expect, test } from 'vitest';
import type { AdView } from '@alpenglow/domain/contracts';
import {
  changesOf,
  EMPTY,
  fieldText,
  isSameForm,
  isSendableUrl,
  lacksRequired,
  resolveForm,
  valuesOf,
  type FormValues,
} from '../src/form/form-values.ts';

const FULL: FormValues = {
  ...EMPTY,
  name: 'Anna',
  title: 'An evening',
  category: 'companion',
  state: 'NV',
  city: 'Reno',
  description: 'Calm company.',
};

async function resolve(values: FormValues) {
  const { values: parsed, errors } = await resolveForm(values, undefined, {
    fields: {},
    shouldUseNativeValidation: undefined,
  });
  return { parsed, errors: errors as Record<string, { message?: string } & Record<string, { message?: string }>> };
}

describe('the same rules as the server', () => {
  test('an empty form names every required field by its own words', async () => {
    const { errors } = await resolve(EMPTY);
    expect(
      Object.fromEntries(
        Object.entries(errors).map(([field, { message }]) => [field, fieldText(field as 'name', message)]),
      ),
    ).toEqual({
      name: 'Please enter a name',
      title: 'Please enter a title',
      category: 'Please choose a category',
      state: 'Please choose a state',
      city: 'Please choose a city',
      description: 'Please write a description',
    });
    expect(lacksRequired(EMPTY)).toBe(true);
    expect(fieldText('phone', 'Please enter a valid phone number')).toBe('Please enter a valid phone number');
  });

  test('a full form passes; blank extras become null', async () => {
    const { parsed, errors } = await resolve({
      ...FULL,
      title: '  An evening ',
      socialMedia: { ...EMPTY.socialMedia, instagram: '@anna' },
    });
    expect(errors).toEqual({});
    expect(parsed).toMatchObject({
      title: 'An evening',
      phone: null,
      photos: [],
      socialMedia: { instagram: '@anna', website: null },
    });
    expect(lacksRequired(FULL)).toBe(false);
  });

  test('a fault in a link is told at that link', async () => {
    const { errors } = await resolve({
      ...FULL,
      phone: 'call me',
      socialMedia: { ...EMPTY.socialMedia, website: 'javascript:alert(1)' },
    });
    expect(errors['phone']?.message).toBe('Please enter a valid phone number');
    expect(errors['socialMedia']?.['website']?.message).toBe('Website must start with http:// or https://');
  });

  test('a city of another state is refused', async () => {
    expect((await resolve({ ...FULL, state: 'CA' })).errors['city']?.message).toBe(
      'Please choose a state and one of its cities',
    );
  });
});

describe('what an update sends', () => {
  const social = {
    instagram: '@anna',
    twitter: null,
    facebook: null,
    snapchat: null,
    tiktok: null,
    onlyfans: null,
    website: null,
  };
  const ad = {
    ...FULL,
    phone: '+1 702 555 0134',
    price: 'from $100',
    body: null,
    socialMedia: social,
  } as unknown as AdView;
  const fieldsOf = async (values: FormValues) => (await resolve(values)).parsed as Parameters<typeof changesOf>[1];

  test('an untouched form changes nothing', async () => {
    expect(changesOf(ad, await fieldsOf(valuesOf(ad)))).toEqual({});
  });

  test('only what differs', async () => {
    expect(changesOf(ad, await fieldsOf({ ...valuesOf(ad), title: 'A morning', phone: '' }))).toEqual({
      title: 'A morning',
      phone: null,
    });
    const changed = changesOf(
      ad,
      await fieldsOf({ ...valuesOf(ad), socialMedia: { ...valuesOf(ad).socialMedia, instagram: '' } }),
    );
    expect(changed).toEqual({ socialMedia: { ...social, instagram: null } });
  });

  test('only addresses of uploads or of the web', () => {
    expect(
      [
        '/uploads/photos/a/1600.jpg',
        'uploads/photos/a',
        'https://x.ch/a.jpg',
        'blob:http://x/1',
        'data:image/png,',
      ].map(isSendableUrl),
    ).toEqual([true, true, true, false, false]);
  });
});

test('two states of the form are told apart by any text', () => {
  expect(isSameForm(FULL, { ...FULL, socialMedia: { ...FULL.socialMedia } })).toBe(true);
  expect(isSameForm(FULL, { ...FULL, phone: '1' })).toBe(false);
  expect(isSameForm(FULL, { ...FULL, socialMedia: { ...FULL.socialMedia, website: 'https://x.ch' } })).toBe(false);
});
