import { describe, expect, test, vi } from 'vitest';
import { createLogger } from '../src/service/logger.ts';

/** Returns the line that is logged to standard error. */
function logged(fields: object): string {
  const lines: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
  createLogger('info').info(fields, 'message');
  write.mockRestore();
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

describe('the log', () => {
  test.each(['password', 'token', 'authorization', 'email', 'phone', 'verificationCode', 'passwordHash'])(
    'never contains a %s',
    (field) => {
      for (const fields of [
        { [field]: 'hush' },
        { req: { [field]: 'hush' } },
        { req: { body: { [field]: 'hush' } } },
      ]) {
        expect(logged(fields)).not.toContain('hush');
      }
    },
  );

  test('describes an error without the data that a driver attaches to it', () => {
    const err = Object.assign(new Error('outer', { cause: new TypeError('inner') }), {
      code: '57P01',
      client: { password: 'hush' },
      detail: 'Key (email)=(hush) exists',
      values: ['hush'],
    });
    const line = logged({ err });
    expect(line).toContain('outer');
    expect(line).toContain('inner');
    expect(line).toContain('57P01');
    expect(line).not.toContain('hush');
  });

  test.each([
    'no account of anna@example.com',
    'no text to +41 79 123 45 67',
    'Authorization: Bearer abc123',
    'GET /api/live?token=abc123&since=1',
    `session ${'x'.repeat(43)} is over`,
  ])('removes personal data from the error "%s"', (message) => {
    const line = logged({ err: new Error(message, { cause: message }) });
    expect(line).toContain('[hidden]');
    // The time of the entry, and line numbers of the stack, may have the same digits.
    expect(line.replaceAll(/"time":\d+|:\d+:\d+/gu, '')).not.toMatch(/anna|123|xxx/u);
  });

  test('removes personal data from an error that is text, e.g. of a parked event', () => {
    const line = logged({ error: 'error: invalid input syntax for type integer: "hush", of anna@example.com' });
    expect(line).toContain('invalid input syntax');
    expect(line).not.toMatch(/hush|anna/u);
    expect(logged({ error: null })).toContain('"error":null');
  });

  test('removes the value that Postgres quotes', () => {
    const line = logged({
      err: Object.assign(new Error('invalid input syntax for type integer: "hush"'), { code: '22P02' }),
    });
    expect(line).toContain('invalid input syntax');
    expect(line).not.toContain('hush');
  });
});
