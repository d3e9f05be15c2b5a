import { describe, expect, test } from 'vitest';
import { decodeRepliesCursor, createRepliesPage, type RepliesRequest } from '../src/community/replies-page.ts';

const CODE = '0k3f9x2a1b';
const threadWith = (lastNumber: number) => ({ code: CODE, lastNumber });
const decode = (cursor: string | null) => cursor && decodeRepliesCursor(cursor, CODE);

describe('a page of replies', () => {
  test.each<
    [string, RepliesRequest | null, number, readonly [number, number], RepliesRequest | null, RepliesRequest | null]
  >([
    ['is the first page by default', null, 25, [1, 10], null, { kind: 'from', number: 11 }],
    ['has no cursors if it is the only page', null, 10, [1, 10], null, null],
    ['is empty for a thread without replies', null, 0, [1, 0], null, null],
    [
      'starts at the requested number',
      { kind: 'from', number: 11 },
      25,
      [11, 20],
      { kind: 'before', number: 11 },
      { kind: 'from', number: 21 },
    ],
    [
      'is shorter at the end of the thread',
      { kind: 'from', number: 21 },
      25,
      [21, 25],
      { kind: 'before', number: 21 },
      null,
    ],
    [
      'ends before the requested number',
      { kind: 'before', number: 21 },
      25,
      [11, 20],
      { kind: 'before', number: 11 },
      { kind: 'from', number: 21 },
    ],
    [
      'is shorter before a number near the start',
      { kind: 'before', number: 4 },
      25,
      [1, 3],
      null,
      { kind: 'from', number: 4 },
    ],
    [
      'contains the requested reply',
      { kind: 'with', number: 20 },
      25,
      [11, 20],
      { kind: 'before', number: 11 },
      { kind: 'from', number: 21 },
    ],
    ['contains the last reply', { kind: 'with', number: Infinity }, 25, [21, 25], { kind: 'before', number: 21 }, null],
    [
      'is empty if the last reply of a thread without replies is requested',
      { kind: 'with', number: Infinity },
      0,
      [1, 0],
      null,
      null,
    ],
    [
      'is empty beyond the end of the thread',
      { kind: 'from', number: 99 },
      25,
      [99, 25],
      { kind: 'before', number: 26 },
      null,
    ],
  ])('%s', (_what, requested, lastNumber, [first, last], previous, next) => {
    const page = createRepliesPage(requested, 10, threadWith(lastNumber));
    expect(page).toMatchObject({ first, last });
    expect([decode(page.previousCursor), decode(page.nextCursor)]).toEqual([previous, next]);
  });

  test('rejects a cursor of another thread and a malformed cursor', () => {
    const { nextCursor } = createRepliesPage(null, 10, threadWith(25));
    expect(() => decodeRepliesCursor(nextCursor ?? '', 'another000')).toThrow(
      'This cursor belongs to a different list',
    );
    for (const text of [
      '',
      'x',
      Buffer.from(`${CODE} from 0`).toString('base64url'),
      Buffer.from(`${CODE} with 1`).toString('base64url'),
      Buffer.from(`${CODE} from 12345678`).toString('base64url'),
    ]) {
      expect(() => decodeRepliesCursor(text, CODE), text).toThrow('This cursor belongs to a different list');
    }
  });
});
