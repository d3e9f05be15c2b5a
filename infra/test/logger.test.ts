import { describe, expect, test, vi } from 'vitest';
import { createLogger } from '../src/logger.ts';

/** What a log line looks like on standard error. */
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
  test.each(['password', 'token', 'authorization', 'email', 'phone', 'verificationCode', 'passwordHash'])('never says a %s', (field) => {
    for (const fields of [{ [field]: 'hush' }, { req: { [field]: 'hush' } }, { req: { body: { [field]: 'hush' } } }]) {
      expect(logged(fields)).not.toContain('hush');
    }
  });

  test('says what an error is, not what a driver hangs onto it', () => {
    const err = Object.assign(new Error('outer', { cause: new TypeError('inner') }), { code: '57P01', client: { password: 'hush' }, detail: 'Key (email)=(hush) exists', values: ['hush'] });
    const line = logged({ err });
    expect(line).toContain('outer');
    expect(line).toContain('inner');
    expect(line).toContain('57P01');
    expect(line).not.toContain('hush');
  });
});
