import { describe, expect, test } from 'vitest';
import type { AdView } from '@alpenglow/domain/contracts';
import {
  getChanges,
  EMPTY_VALUES,
  getFieldErrorText,
  hasSameValues,
  isSendableUrl,
  hasMissingFields,
  resolveForm,
  toFormValues,
  type FormValues,
} from '../src/form/form-values.ts';

const FULL: FormValues = {
  ...EMPTY_VALUES,
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

describe('validation with the server’s rules', () => {
  test('an empty form has a separate message for each required field', async () => {
    const { errors } = await resolve(EMPTY_VALUES);
    expect(
      Object.fromEntries(
        Object.entries(errors).map(([field, { message }]) => [field, getFieldErrorText(field as 'name', message)]),
      ),
    ).toEqual({
      name: 'Please enter a name',
      title: 'Please enter a title',
      category: 'Please choose a category',
      state: 'Please choose a state',
      city: 'Please choose a city',
      description: 'Please write a description',
    });
    expect(hasMissingFields(EMPTY_VALUES)).toBe(true);
    expect(getFieldErrorText('phone', 'Please enter a valid phone number')).toBe('Please enter a valid phone number');
  });

  test('a complete form is valid; blank optional fields become null', async () => {
    const { parsed, errors } = await resolve({
      ...FULL,
      title: '  An evening ',
      socialMedia: { ...EMPTY_VALUES.socialMedia, instagram: '@anna' },
    });
    expect(errors).toEqual({});
    expect(parsed).toMatchObject({
      title: 'An evening',
      phone: null,
      photos: [],
      socialMedia: { instagram: '@anna', website: null },
    });
    expect(hasMissingFields(FULL)).toBe(false);
  });

  test('an error in a link belongs to that link', async () => {
    const { errors } = await resolve({
      ...FULL,
      phone: 'call me',
      socialMedia: { ...EMPTY_VALUES.socialMedia, website: 'javascript:alert(1)' },
    });
    expect(errors['phone']?.message).toBe('Please enter a valid phone number');
    expect(errors['socialMedia']?.['website']?.message).toBe('Please enter a web address such as https://example.com');
  });

  test('a city of another state is rejected', async () => {
    expect((await resolve({ ...FULL, state: 'CA' })).errors['city']?.message).toBe(
      'Please choose a state and one of its cities',
    );
  });
});

describe('the content of an update', () => {
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
  const fieldsOf = async (values: FormValues) => (await resolve(values)).parsed as Parameters<typeof getChanges>[1];

  test('is empty if the form is unchanged', async () => {
    expect(getChanges(ad, await fieldsOf(toFormValues(ad)))).toEqual({});
  });

  test('contains only changed fields', async () => {
    expect(getChanges(ad, await fieldsOf({ ...toFormValues(ad), title: 'A morning', phone: '' }))).toEqual({
      title: 'A morning',
      phone: null,
    });
    const changed = getChanges(
      ad,
      await fieldsOf({ ...toFormValues(ad), socialMedia: { ...toFormValues(ad).socialMedia, instagram: '' } }),
    );
    expect(changed).toEqual({ socialMedia: { ...social, instagram: null } });
  });

  test('contains only URLs of uploads or of the web', () => {
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

test('two sets of form values differ if any text differs', () => {
  expect(hasSameValues(FULL, { ...FULL, socialMedia: { ...FULL.socialMedia } })).toBe(true);
  expect(hasSameValues(FULL, { ...FULL, phone: '1' })).toBe(false);
  expect(hasSameValues(FULL, { ...FULL, socialMedia: { ...FULL.socialMedia, website: 'https://x.ch' } })).toBe(false);
});
