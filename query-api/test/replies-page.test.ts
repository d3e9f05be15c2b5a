import { describe, expect, test } from 'vitest';
import { decodeRepliesCursor, repliesPage, type RepliesAsked } from '../src/community/replies-page.ts';

const CODE = '0k3f9x2a1b';
const of = (lastNumber: number) => ({ code: CODE, lastNumber });
const led = (cursor: string | null) => cursor && decodeRepliesCursor(cursor, CODE);

describe('the page of a thread', () => {
  test.each<[string, RepliesAsked | null, number, readonly [number, number], RepliesAsked | null, RepliesAsked | null]>(
    [
      ['the first where nothing is said', null, 25, [1, 10], null, { kind: 'from', number: 11 }],
      ['the only one', null, 10, [1, 10], null, null],
      ['of a thread without replies', null, 0, [1, 0], null, null],
      [
        'from a number on',
        { kind: 'from', number: 11 },
        25,
        [11, 20],
        { kind: 'before', number: 11 },
        { kind: 'from', number: 21 },
      ],
      ['the last, which is short', { kind: 'from', number: 21 }, 25, [21, 25], { kind: 'before', number: 21 }, null],
      [
        'before a number',
        { kind: 'before', number: 21 },
        25,
        [11, 20],
        { kind: 'before', number: 11 },
        { kind: 'from', number: 21 },
      ],
      [
        'before a number near the beginning, without a reply of the page after',
        { kind: 'before', number: 4 },
        25,
        [1, 3],
        null,
        { kind: 'from', number: 4 },
      ],
      [
        'with a reply',
        { kind: 'with', number: 20 },
        25,
        [11, 20],
        { kind: 'before', number: 11 },
        { kind: 'from', number: 21 },
      ],
      ['with the last one', { kind: 'with', number: Infinity }, 25, [21, 25], { kind: 'before', number: 21 }, null],
      ['with the last one of none', { kind: 'with', number: Infinity }, 0, [1, 0], null, null],
      ['from beyond the end on', { kind: 'from', number: 99 }, 25, [99, 25], { kind: 'before', number: 26 }, null],
    ],
  )('%s', (_what, asked, lastNumber, [first, last], previous, next) => {
    const page = repliesPage(asked, 10, of(lastNumber));
    expect(page).toMatchObject({ first, last });
    expect([led(page.previousCursor), led(page.nextCursor)]).toEqual([previous, next]);
  });

  test('a cursor of another thread, or none at all, is refused', () => {
    const { nextCursor } = repliesPage(null, 10, of(25));
    expect(() => decodeRepliesCursor(nextCursor ?? '', 'another000')).toThrow('This cursor is not one of this list');
    for (const text of [
      '',
      'x',
      Buffer.from(`${CODE} from 0`).toString('base64url'),
      Buffer.from(`${CODE} with 1`).toString('base64url'),
      Buffer.from(`${CODE} from 12345678`).toString('base64url'),
    ]) {
      expect(() => decodeRepliesCursor(text, CODE), text).toThrow('This cursor is not one of this list');
    }
  });
});
