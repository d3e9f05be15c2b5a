import { describe, expect, test } from 'vitest';
import { MAX_REPLIES } from '../../src/constants.ts';
import { replyToThread, startThread } from '../../src/thread/decide.ts';
import { postAt, postCount } from '../../src/thread/post-list.ts';
import { thread, type Post, type ThreadState } from '../../src/thread/state.ts';
import { given as givenOf } from '../given.ts';
import {
  anna,
  ben,
  deleted,
  hidden,
  moderator,
  ofThread,
  place,
  replied,
  restored,
  started,
  threadId,
  words,
} from './events.ts';

const given = givenOf(thread);

describe('starting a thread', () => {
  const starting = startThread.bind(null, {
    threadId,
    accountId: 'anna',
    admissionId: 'a0',
    place,
    title: 'Quiet places',
    words: words('Where?'),
  });
  test('puts its opening post there', () => {
    given().when(starting).then(started);
  });
  test('once more is refused: the same words were posted', () => {
    given(started).when(starting).thenRefused('DUPLICATE_TEXT', { message: 'This text has been posted already' });
  });
});

describe('replying', () => {
  const replying =
    (body: string, { member = ben, admissionId = 'new', quotedNumber = null as number | null } = {}) =>
    (state: ThreadState) =>
      replyToThread({ member, admissionId, words: words(body), quotedNumber }, state);

  test('adds a post at the end, numbered from 1', () => {
    given(started)
      .when(replying('Here.', { admissionId: 'a1' }))
      .then(replied(1, { body: 'Here.' }));
    given(started, replied(1))
      .when(replying('There.', { admissionId: 'a2' }))
      .then(replied(2, { body: 'There.' }));
  });
  test('goes on with the numbers where posts were deleted or hidden', () => {
    given(started, replied(1), replied(2), deleted(2, 'ben'), hidden(1, 'ben'))
      .when(replying('There.', { admissionId: 'a3' }))
      .then(replied(3, { body: 'There.' }));
  });
  test('quotes a post that is to be seen, the opening post too', () => {
    given(started, replied(1))
      .when(replying('Yes.', { admissionId: 'a2', quotedNumber: 1 }))
      .then(replied(2, { body: 'Yes.', quotedNumber: 1 }));
    given(started)
      .when(replying('Yes.', { admissionId: 'a1', quotedNumber: 0 }))
      .then(replied(1, { body: 'Yes.', quotedNumber: 0 }));
  });
  test('cannot quote what is not there, hidden or deleted', () => {
    given(started)
      .when(replying('Yes.', { quotedNumber: 1 }))
      .thenRefused('POST_NOT_FOUND');
    given(started, replied(1), hidden(1, 'ben'))
      .when(replying('Yes.', { quotedNumber: 1 }))
      .thenRefused('POST_NOT_FOUND');
    given(started, replied(1), deleted(1, 'ben'))
      .when(replying('Yes.', { quotedNumber: 1 }))
      .thenRefused('POST_NOT_FOUND');
  });
  test('can quote what was restored', () => {
    given(started, replied(1), hidden(1, 'ben'), restored(1, 'ben'))
      .when(replying('Yes.', { admissionId: 'a2', quotedNumber: 1 }))
      .then(replied(2, { body: 'Yes.', quotedNumber: 1 }));
  });
  test('under an admission that was used is refused: the same words once more', () => {
    given(started, replied(1))
      .when(replying('Reply 1', { admissionId: 'a1' }))
      .thenRefused('DUPLICATE_TEXT');
    given(started, replied(1), deleted(1, 'ben'))
      .when(replying('Reply 1', { admissionId: 'a1' }))
      .thenRefused('DUPLICATE_TEXT');
  });
  test('to a thread that is not there is refused', () => {
    given().when(replying('Here.')).thenRefused('THREAD_NOT_FOUND');
  });
  test('to a hidden thread is refused as if it were not there', () => {
    given(started, hidden(0, 'anna')).when(replying('Here.')).thenRefused('THREAD_NOT_FOUND');
  });
  test('to a thread whose opening post was deleted goes on', () => {
    given(started, deleted(0, 'anna'))
      .when(replying('Here.', { admissionId: 'a1' }))
      .then(replied(1, { body: 'Here.' }));
  });
  test('to a closed thread is refused, until it is opened again', () => {
    given(started, ofThread('ThreadLocked'))
      .when(replying('Here.'))
      .thenRefused('THREAD_LOCKED', { message: 'This thread is closed' });
    given(started, ofThread('ThreadLocked'))
      .when(replying('Here.', { member: anna }))
      .thenRefused('THREAD_LOCKED');
    given(started, ofThread('ThreadLocked'), ofThread('ThreadUnlocked'))
      .when(replying('Here.', { admissionId: 'a1' }))
      .then(replied(1, { body: 'Here.' }));
  });
  test('to a closed or hidden thread is what moderators still do', () => {
    given(started, ofThread('ThreadLocked'), hidden(0, 'anna'))
      .when(replying('Here.', { member: moderator, admissionId: 'a1' }))
      .then(replied(1, { body: 'Here.', by: 'mo' }));
  });
});

test('a thread of ten thousand replies has all of them, in order', () => {
  let state = thread.evolve(null, started, '2026-01-01T00:00:00.000Z');
  for (let number = 1; number <= 10_000; number += 1) state = thread.evolve(state, replied(number), `at ${number}`);
  if (!state) throw new Error('The thread was started');
  expect(postCount(state.posts)).toBe(10_001);
  for (const number of [1, 127, 128, 129, 5_000, 10_000])
    expect(postAt(state.posts, number)).toMatchObject({ admissionId: `a${number}`, postedAt: `at ${number}` });
  given(started)
    .when(() =>
      replyToThread({ member: ben, admissionId: 'a10001', words: words('Reply 10001'), quotedNumber: 10_000 }, state),
    )
    .then(replied(10_001, { quotedNumber: 10_000 }));
});

test('a thread is full some day', () => {
  const post: Post = {
    accountId: 'ben',
    admissionId: '',
    postedAt: '',
    fingerprint: '',
    status: 'visible',
    isCleared: false,
  };
  const posts = (count: number) =>
    Array.from({ length: Math.ceil(count / 128) }, (_, piece) =>
      Array.from({ length: Math.min(128, count - piece * 128) }, () => post),
    );
  const full = (replies: number): ThreadState => ({
    threadId,
    title: '',
    place,
    isLocked: false,
    isPinned: false,
    isHidden: false,
    posts: posts(replies + 1),
  });
  const replying = (state: ThreadState) => () =>
    replyToThread({ member: ben, admissionId: 'new', words: words('One more'), quotedNumber: null }, state);
  given()
    .when(replying(full(MAX_REPLIES - 1)))
    .then(replied(MAX_REPLIES, { body: 'One more', admissionId: 'new' }));
  given()
    .when(replying(full(MAX_REPLIES)))
    .thenRefused('THREAD_FULL', { message: 'This thread is full. Please start a new one.' });
});
