import { describe, test } from 'vitest';
import type { DecisionContext } from '../../src/aggregate.ts';
import { EDIT_WINDOW_ms } from '../../src/constants.ts';
import { deletePost, editPost } from '../../src/thread/decide.ts';
import { deletePostsOfAccount } from '../../src/thread/delete-posts-of-account.ts';
import type { Member } from '../../src/thread/commands.ts';
import type { ThreadEvent } from '../../src/thread/events.ts';
import { thread, type ThreadState } from '../../src/thread/state.ts';
import { AT, givenAggregate } from '../given.ts';
import {
  anna,
  ben,
  deleted,
  hidden,
  moderator,
  threadEvent,
  replied,
  restored,
  started,
  threadId,
  content,
} from './events.ts';

const given = givenAggregate(thread);
const after = (ms: number) => new Date(Date.parse(AT) + ms).toISOString();

describe('editing a post', () => {
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
      editPost({ member, number, title, content: content(body, links) }, state, { now, newId: () => 'never' });
  const edited = (number: number, accountId: string, body: string, title?: string): ThreadEvent => ({
    type: 'PostEdited',
    data: { threadId, number, accountId, ...(title !== undefined && { title }), body, fingerprint: `#${body}` },
  });

  test('changes the text of one’s own post', () => {
    given(started, replied(1))
      .when(editing(1, { member: ben, body: 'Here!' }))
      .then(edited(1, 'ben', 'Here!'));
  });
  test('changes the title with an opening post, if it differs', () => {
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
  test('does not change the title with a reply', () => {
    given(started, replied(1))
      .when(editing(1, { member: ben, title: 'Mine now', body: 'Here!' }))
      .then(edited(1, 'ben', 'Here!'));
  });
  test('records a change of punctuation, although the fingerprint is the same', () => {
    const sameFingerprint = (state: ThreadState) =>
      editPost(
        { member: anna, number: 0, title: undefined, content: { body: 'Where!', fingerprint: '#Where?', links: 0 } },
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
      .thenThrows('EDIT_WINDOW_OVER', { message: 'Posts can be edited for 15 minutes' });
  });
  test('counts the 15 minutes from the post, not from the last edit', () => {
    given(started, { at: after(EDIT_WINDOW_ms - 1), event: edited(0, 'anna', 'Whence?') })
      .when(editing(0, { now: after(EDIT_WINDOW_ms + 1) }))
      .thenThrows('EDIT_WINDOW_OVER');
    given(started, { at: after(60_000), event: replied(1) })
      .when(editing(1, { member: ben, body: 'Here!', now: after(EDIT_WINDOW_ms + 60_000) }))
      .then(edited(1, 'ben', 'Here!'));
  });
  test('requires the author', () => {
    given(started)
      .when(editing(0, { member: ben }))
      .thenThrows('ONLY_AUTHOR', { message: 'Only the author can change this post' });
    given(started)
      .when(editing(0, { member: moderator }))
      .thenThrows('ONLY_AUTHOR');
  });
  test('is rejected for a hidden post, and possible after it is restored', () => {
    given(started, hidden(0, 'anna'))
      .when(editing(0))
      .thenThrows('POST_HIDDEN', { message: 'A moderator has hidden this post' });
    given(started, hidden(0, 'anna'), restored(0, 'anna'))
      .when(editing(0))
      .then(edited(0, 'anna', 'Where now?'));
  });
  test('is rejected in a hidden thread', () => {
    given(started, replied(1), hidden(0, 'anna'))
      .when(editing(1, { member: ben }))
      .thenThrows('THREAD_NOT_FOUND');
  });
  test('is rejected in a closed thread, except for moderators', () => {
    given(started, threadEvent('ThreadLocked')).when(editing(0)).thenThrows('THREAD_LOCKED');
    given(started, replied(1, { by: 'mo' }), threadEvent('ThreadLocked'))
      .when(editing(1, { member: moderator, body: 'Closed.' }))
      .then(edited(1, 'mo', 'Closed.'));
  });
  test('reports a deleted post, an unknown post and an unknown thread as not found', () => {
    given(started, deleted(0, 'anna')).when(editing(0)).thenThrows('POST_NOT_FOUND');
    given(started).when(editing(1)).thenThrows('POST_NOT_FOUND');
    given(started).when(editing(9_999_999)).thenThrows('POST_NOT_FOUND');
    given().when(editing(0)).thenThrows('THREAD_NOT_FOUND');
  });
  test('requires a verified e-mail address', () => {
    given(started)
      .when(editing(0, { member: { ...anna, emailVerified: false } }))
      .thenThrows('VERIFICATION_REQUIRED');
  });
  test('is limited to the number of links of a new post', () => {
    given(started)
      .when(editing(0, { links: 10 }))
      .then(edited(0, 'anna', 'Where now?'));
    given(started)
      .when(editing(0, { links: 11 }))
      .thenThrows('TOO_MANY_LINKS', { message: 'Too many links. The maximum is 10.' });
    const newcomer = { ...anna, registeredAt: after(-60 * 60_000) };
    given(started)
      .when(editing(0, { member: newcomer, links: 2 }))
      .thenThrows('TOO_MANY_LINKS', { message: 'Too many links. The maximum is 1.' });
  });
});

describe('deleting a post', () => {
  const deleting = (number: number, accountId: string) => (state: ThreadState, context: DecisionContext) =>
    deletePost({ number, member: { accountId, emailVerified: true } }, state, context);
  test('deletes one’s own post at any time', () => {
    given(started, replied(1)).when(deleting(1, 'ben')).then(deleted(1, 'ben'));
    given(started).when(deleting(0, 'anna')).then(deleted(0, 'anna'));
  });
  test('does nothing the second time', () => {
    given(started, deleted(0, 'anna')).when(deleting(0, 'anna')).then();
  });
  test('requires the author', () => {
    given(started).when(deleting(0, 'ben')).thenThrows('ONLY_AUTHOR');
    given(started, deleted(0, 'anna')).when(deleting(0, 'ben')).thenThrows('ONLY_AUTHOR');
  });
  test('requires a verified e-mail address', () => {
    given(started)
      .decide(deletePost, { number: 0, member: { accountId: 'anna', emailVerified: false } })
      .thenThrows('VERIFICATION_REQUIRED');
  });
  test('is possible for a hidden post and in a closed thread', () => {
    given(started, hidden(0, 'anna'), threadEvent('ThreadLocked')).when(deleting(0, 'anna')).then(deleted(0, 'anna'));
  });
  test('is rejected for an unknown post', () => {
    given(started).when(deleting(1, 'anna')).thenThrows('POST_NOT_FOUND');
    given().when(deleting(0, 'anna')).thenThrows('THREAD_NOT_FOUND');
  });
});

describe('deleting the posts of an erased account', () => {
  const posts = [started, replied(1), replied(2), replied(3, { by: 'anna' }), replied(4), deleted(1, 'ben')] as const;

  test('deletes all its posts, including hidden ones, except those of the next person with its address', () => {
    given(...posts, hidden(2, 'ben'))
      .decide(deletePostsOfAccount, { accountId: 'ben', before: 4 })
      .then(deleted(2, 'ben'));
  });
  test('does nothing for an unknown thread', () => {
    given().decide(deletePostsOfAccount, { accountId: 'ben', before: 4 }).then();
  });
});
