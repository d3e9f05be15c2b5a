import { describe, expect, test } from 'vitest';
import { maskedPayload, maskedText } from '../src/adapters/bullmq/masked.ts';

describe('what a job carries, as it is shown', () => {
  test.each([
    ['550 <ann.smith+x@mail.example.com>: no such user', '550 <•••>: no such user'],
    ['the code 123456 was sent', 'the code ••• was sent'],
    ['call +1 (702) 555-0134 now', 'call ••• now'],
    ['Authorization: Bearer abc.def', 'Authorization: Bearer •••'],
    ['password=hunter2&x=1', 'password=•••&x=1'],
  ])('%s', (text, shown) => {
    expect(maskedText(text)).toBe(shown);
  });
  test('ids and places in the code stay, so that a failure can be understood', () => {
    const text =
      'Error: ENOENT 0193a1b2-0000-7000-8000-0000000000aa\n    at write (/srv/workers/src/make-variants.ts:42:13)';
    expect(maskedText(text)).toBe(text);
  });
  test('is no longer than 2,000 characters', () => {
    expect(maskedText('x '.repeat(5_000))).toHaveLength(2_000);
  });
  test('a payload is its fields, without those that may hold something personal', () => {
    expect(maskedPayload({ accountId: 'a1', number: 3, email: 'ann@example.com', code: '123456' })).toEqual([
      { name: 'accountId', value: 'a1' },
      { name: 'number', value: '3' },
      { name: 'email', value: '•••' },
      { name: 'code', value: '•••' },
    ]);
    expect(maskedPayload(null)).toEqual([]);
  });
});
