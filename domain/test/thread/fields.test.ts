import { describe, expect, test } from 'vitest';
import {
  newReplyFields,
  newThreadFields,
  POST_BODY_MAX,
  editPostFields,
  THREAD_TITLE_MAX,
} from '../../src/thread/fields.ts';
import { parsePostId, toPostId } from '../../src/thread/post-id.ts';
import { threadId } from './events.ts';

const thread = { country: 'us', state: 'NV', city: 'Las Vegas', title: 'Quiet places', body: 'Where?' };
const reasonOf = (
  schema: { safeParse(input: unknown): { error?: { issues: readonly { message: string }[] } | undefined } },
  input: unknown,
) => schema.safeParse(input).error?.issues[0]?.message;

describe('a new thread', () => {
  test('is in a known city, and in the first country by default', () => {
    expect(newThreadFields.parse({ ...thread, country: undefined })).toEqual(thread);
    expect(newThreadFields.parse({ ...thread, country: ' US ' })).toEqual(thread);
    for (const place of [{ city: 'Paris' }, { state: 'CA' }, { country: 'fr' }, { city: 'las vegas' }])
      expect(reasonOf(newThreadFields, { ...thread, ...place })).toBe(
        'Please choose a country, a state and one of its cities',
      );
  });
  test('has a title on one line, without direction overrides', () => {
    expect(newThreadFields.parse({ ...thread, title: ' Quiet\n\u202eplaces\t to  meet ' }).title).toBe(
      'Quiet places to meet',
    );
    expect(newThreadFields.parse({ ...thread, title: 'أماكن هادئة 🌙' }).title).toBe('أماكن هادئة 🌙');
  });
  test.each([
    [{ title: 'Four' }, 'Title must be at least 5 characters'],
    [{ title: 'x'.repeat(THREAD_TITLE_MAX + 1) }, `Title must be at most ${THREAD_TITLE_MAX} characters`],
    [{ title: undefined }, 'Please fill in all required fields'],
    [{ title: ' ' }, 'Please fill in all required fields'],
    [{ city: undefined }, 'Please fill in all required fields'],
    [{ body: undefined }, 'Please fill in all required fields'],
    [{ body: ['a'] }, 'Please fill in all required fields'],
    [{ body: ' \n ' }, 'Please fill in all required fields'],
    [{ body: 'x'.repeat(POST_BODY_MAX + 1) }, `Text must be at most ${POST_BODY_MAX} characters`],
    [{ body: 'a\u0000b' }, 'Text contains a character that cannot be displayed at position 2'],
    [{ body: '\ud800' }, 'Text contains a character that cannot be displayed at position 1'],
  ])('with %j is rejected', (changes, reason) => {
    expect(reasonOf(newThreadFields, { ...thread, ...changes })).toBe(reason);
  });
});

test('a reply quotes no post by default', () => {
  expect(newReplyFields.parse({ body: 'Here.' })).toEqual({ body: 'Here.', quotedNumber: null });
  expect(newReplyFields.parse({ body: 'Here.', quotedNumber: 0 })).toEqual({ body: 'Here.', quotedNumber: 0 });
  for (const quotedNumber of [-1, 1.5, '0', 1_000_001])
    expect(reasonOf(newReplyFields, { body: 'Here.', quotedNumber })).toBe('Please choose a post');
});

test('the title of a changed post is optional', () => {
  expect(editPostFields.parse({ body: 'Here.' })).toEqual({ body: 'Here.' });
});

test('a post id consists of a thread id and a number', () => {
  expect(parsePostId(toPostId(threadId, 12))).toEqual({ threadId, number: 12 });
  for (const id of [threadId, `${threadId}-`, `${threadId}-x`, `${threadId}-12345678`, `${threadId}--1`, '', '-0'])
    expect(parsePostId(id), id).toBeNull();
});
