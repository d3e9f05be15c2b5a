import { describe, test } from 'vitest';
import { EDIT_WINDOW_ms } from '../../src/constants.ts';
import { deletePost, editPost } from '../../src/thread/decide.ts';
import type { Member } from '../../src/thread/commands.ts';
import type { ThreadEvent } from '../../src/thread/events.ts';
import { thread, type ThreadState } from '../../src/thread/state.ts';
import { AT, given as givenOf } from '../given.ts';
import {
  anna,
  ben,
  deleted,
  hidden,
  moderator,
  ofThread,
  replied,
  restored,
  started,
  threadId,
  words,
} from './events.ts';

const given = givenOf(thread);
const after = (ms: number) => new Date(Date.parse(AT) + ms).toISOString();

describe('editing', () => {
  interface Edit {
    readonly member?: Member;
    readonly title?: string;
    readonly body?: string;
    readonly links?: number;
    readonly now?: string;
  }
  const editing =
    (number: number, { member = anna, title, body = 'Where now?', links = 0, now = AT }: Edit = {}) =>
    (state: ThreadState) =>
      editPost({ member, number, title, words: words(body, links) }, state, { now, newId: () => 'never' });
  const edited = (number: number, accountId: string, body: string, title?: string): ThreadEvent => ({
    type: 'PostEdited',
    data: { threadId, number, accountId, ...(title !== undefined && { title }), body, fingerprint: `#${body}` },
  });

  test('changes the words of one’s own post', () => {
    given(started, replied(1))
      .when(editing(1, { member: ben, body: 'Here!' }))
      .then(edited(1, 'ben', 'Here!'));
  });
  test('changes the title with an opening post, where it is another', () => {
    given(started)
      .when(editing(0, { title: 'Calm places' }))
      .then(edited(0, 'anna', 'Where now?', 'Calm places'));
    given(started)
      .when(editing(0, { title: 'Quiet places' }))
      .then(edited(0, 'anna', 'Where now?'));
    given(started, edited(0, 'anna', 'Where?', 'Calm places'))
      .when(editing(0, { title: 'Quiet places' }))
      .then(edited(0, 'anna', 'Where now?', 'Quiet places'));
  });
  test('of a reply changes no title', () => {
    given(started, replied(1))
      .when(editing(1, { member: ben, title: 'Mine now', body: 'Here!' }))
      .then(edited(1, 'ben', 'Here!'));
  });
  test('is recorded where only punctuation changes: words that count as the same are not the same', () => {
    const sameFingerprint = (state: ThreadState) =>
      editPost(
        { member: anna, number: 0, title: undefined, words: { body: 'Where!', fingerprint: '#Where?', links: 0 } },
        state,
        { now: AT, newId: () => 'never' },
      );
    given(started)
      .when(sameFingerprint)
      .then({
        type: 'PostEdited',
        data: { threadId, number: 0, accountId: 'anna', body: 'Where!', fingerprint: '#Where?' },
      });
  });
  test('is possible for 15 minutes, to the millisecond', () => {
    given(started)
      .when(editing(0, { now: after(EDIT_WINDOW_ms) }))
      .then(edited(0, 'anna', 'Where now?'));
    given(started)
      .when(editing(0, { now: after(EDIT_WINDOW_ms + 1) }))
      .thenRefused('EDIT_WINDOW_OVER', { message: 'Posts can be edited for 15 minutes' });
  });
  test('counts the 15 minutes from when the post was posted, not from the last edit', () => {
    given(started, { at: after(EDIT_WINDOW_ms - 1), event: edited(0, 'anna', 'Whence?') })
      .when(editing(0, { now: after(EDIT_WINDOW_ms + 1) }))
      .thenRefused('EDIT_WINDOW_OVER');
    given(started, { at: after(60_000), event: replied(1) })
      .when(editing(1, { member: ben, body: 'Here!', now: after(EDIT_WINDOW_ms + 60_000) }))
      .then(edited(1, 'ben', 'Here!'));
  });
  test('is for its author, whoever else asks', () => {
    given(started)
      .when(editing(0, { member: ben }))
      .thenRefused('ONLY_AUTHOR', { message: 'Only the author can change this post' });
    given(started)
      .when(editing(0, { member: moderator }))
      .thenRefused('ONLY_AUTHOR');
  });
  test('of a hidden post is refused, and possible again once it is restored', () => {
    given(started, hidden(0, 'anna'))
      .when(editing(0))
      .thenRefused('POST_HIDDEN', { message: 'A moderator has hidden this post' });
    given(started, hidden(0, 'anna'), restored(0, 'anna'))
      .when(editing(0))
      .then(edited(0, 'anna', 'Where now?'));
  });
  test('in a hidden thread is refused', () => {
    given(started, replied(1), hidden(0, 'anna'))
      .when(editing(1, { member: ben }))
      .thenRefused('THREAD_NOT_FOUND');
  });
  test('in a closed thread is refused, but not to moderators', () => {
    given(started, ofThread('ThreadLocked')).when(editing(0)).thenRefused('THREAD_LOCKED');
    given(started, replied(1, { by: 'mo' }), ofThread('ThreadLocked'))
      .when(editing(1, { member: moderator, body: 'Closed.' }))
      .then(edited(1, 'mo', 'Closed.'));
  });
  test('of a deleted post, of none, in no thread: not found', () => {
    given(started, deleted(0, 'anna')).when(editing(0)).thenRefused('POST_NOT_FOUND');
    given(started).when(editing(1)).thenRefused('POST_NOT_FOUND');
    given(started).when(editing(9_999_999)).thenRefused('POST_NOT_FOUND');
    given().when(editing(0)).thenRefused('THREAD_NOT_FOUND');
  });
  test('is for those who have shown that the address is theirs', () => {
    given(started)
      .when(editing(0, { member: { ...anna, emailVerified: false } }))
      .thenRefused('VERIFICATION_REQUIRED');
  });
  test('may not put in more links than a post has', () => {
    given(started)
      .when(editing(0, { links: 10 }))
      .then(edited(0, 'anna', 'Where now?'));
    given(started)
      .when(editing(0, { links: 11 }))
      .thenRefused('TOO_MANY_LINKS', { message: 'Please use fewer links: 10 at most' });
    const newcomer = { ...anna, registeredAt: after(-60 * 60_000) };
    given(started)
      .when(editing(0, { member: newcomer, links: 2 }))
      .thenRefused('TOO_MANY_LINKS', { message: 'Please use fewer links: 1 at most' });
  });
});

describe('deleting', () => {
  const deleting = (number: number, accountId: string) => (state: ThreadState) =>
    deletePost(number, { accountId, emailVerified: true }, state);
  test('takes one’s own post away, whenever', () => {
    given(started, replied(1)).when(deleting(1, 'ben')).then(deleted(1, 'ben'));
    given(started).when(deleting(0, 'anna')).then(deleted(0, 'anna'));
  });
  test('twice does nothing more', () => {
    given(started, deleted(0, 'anna')).when(deleting(0, 'anna')).then();
  });
  test('is for its author', () => {
    given(started).when(deleting(0, 'ben')).thenRefused('ONLY_AUTHOR');
    given(started, deleted(0, 'anna')).when(deleting(0, 'ben')).thenRefused('ONLY_AUTHOR');
  });
  test('is for those who have shown that the address is theirs', () => {
    given(started)
      .when((state) => deletePost(0, { accountId: 'anna', emailVerified: false }, state))
      .thenRefused('VERIFICATION_REQUIRED');
  });
  test('is possible where the post is hidden or its thread closed: one’s words are one’s own', () => {
    given(started, hidden(0, 'anna'), ofThread('ThreadLocked')).when(deleting(0, 'anna')).then(deleted(0, 'anna'));
  });
  test('of what is not there is refused', () => {
    given(started).when(deleting(1, 'anna')).thenRefused('POST_NOT_FOUND');
    given().when(deleting(0, 'anna')).thenRefused('THREAD_NOT_FOUND');
  });
});
