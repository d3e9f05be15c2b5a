import { describe, expect, test } from 'vitest';
import { maskPayload, maskText } from '../src/adapters/bullmq/mask-personal-data.ts';

describe('the masked details of a job', () => {
  test.each([
    ['550 <ann.smith+x@mail.example.com>: no such user', '550 <•••>: no such user'],
    ['the code 123456 was sent', 'the code ••• was sent'],
    ['call +1 (702) 555-0134 now', 'call ••• now'],
    ['Authorization: Bearer abc.def', 'Authorization: Bearer •••'],
    ['password=hunter2&x=1', 'password=•••&x=1'],
  ])('%j becomes %j', (text, shown) => {
    expect(maskText(text)).toBe(shown);
  });
  test('contain ids and code locations, so that a failure can be understood', () => {
    const text =
      'Error: ENOENT 0193a1b2-0000-7000-8000-0000000000aa\n    at write (/srv/workers/src/make-variants.ts:42:13)';
    expect(maskText(text)).toBe(text);
  });
  test('have at most 2,000 characters', () => {
    expect(maskText('x '.repeat(5_000))).toHaveLength(2_000);
  });
  test('contain the fields of a payload, with personal data masked', () => {
    expect(maskPayload({ accountId: 'a1', number: 3, email: 'ann@example.com', code: '123456' })).toEqual([
      { name: 'accountId', value: 'a1' },
      { name: 'number', value: '3' },
      { name: 'email', value: '•••' },
      { name: 'code', value: '•••' },
    ]);
    expect(maskPayload(null)).toEqual([]);
  });
});
