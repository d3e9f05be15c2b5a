import * as z from 'zod/mini';

/** What text fields of every kind have in common. */

export const REQUIRED = 'Please fill in all required fields';

const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/u;
const isShowable = (text: string) => !CONTROL_CHARACTERS.test(text) && text.isWellFormed();

/** Text of `min` to `max` characters once trimmed, without control characters (Postgres cannot hold U+0000, people cannot see the others). */
export function requiredText(label: string, max: number, min = 1) {
  return z
    .string(REQUIRED)
    .check(
      z.trim(),
      z.minLength(1, REQUIRED),
      z.minLength(min, `${label} must be at least ${min} characters`),
      z.maxLength(max, `${label} must be at most ${max} characters`),
      z.refine(isShowable, `${label} has characters that cannot be shown`),
    );
}

/** As `requiredText`, or nothing: null and blank both mean null. */
export function optionalText(label: string, max: number) {
  return z.nullable(
    z.pipe(
      z
        .string(`${label} must be text`)
        .check(
          z.trim(),
          z.maxLength(max, `${label} must be at most ${max} characters`),
          z.refine(isShowable, `${label} has characters that cannot be shown`),
        ),
      z.transform((text) => (text === '' ? null : text)),
    ),
  );
}

/** Characters that turn the direction of whatever follows them: they would reach beyond their text. */
const DIRECTION_OVERRIDES = /[\u202A-\u202E\u2066-\u2069]/gu;

/** For text that stands in a line with other words: U+2069 ends even the isolation a page puts it in. */
export const withoutDirectionOverrides = (text: string): string => text.replaceAll(DIRECTION_OVERRIDES, '');

/** As `requiredText`, on one line: lists and addresses are made of it. */
export function requiredLine(label: string, max: number, min = 1) {
  const onOneLine = z.transform((text: unknown) =>
    typeof text === 'string' ? withoutDirectionOverrides(text).replaceAll(/\s+/gu, ' ') : text,
  );
  return z.pipe(onOneLine, requiredText(label, max, min));
}
