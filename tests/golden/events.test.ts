import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { definitionOf, EVENT_DEFINITIONS, upcastAndParse } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';

/** One file for every version of every event that was ever written: `stored` as it lies in the store, `current` as it reads today. */
interface Golden {
  readonly type: string;
  readonly version: number;
  readonly stored: unknown;
  readonly current: unknown;
}

const folder = path.join(import.meta.dirname, 'events');
const files = readdirSync(folder);
const golden = files.map((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Golden);

describe('golden events', () => {
  test.each(golden.map((one) => [`${one.type} version ${one.version}`, one] as const))(
    '%s still reads',
    (_name, { type, version, stored, current }) => {
      const definition = definitionOf(type);
      if (!definition) throw new Error(`${type} is no longer known: history would be unreadable`);
      expect(upcastAndParse(definition, version, stored)).toEqual(current);
    },
  );

  test('stand for every version of every event', () => {
    const needed = EVENT_DEFINITIONS.flatMap(({ type, version }) =>
      Array.from({ length: version }, (_, index) => `${type}.v${index + 1}.json`),
    );
    expect([...files].sort()).toEqual([...needed].sort());
  });

  test('a version newer than this build is refused, not guessed at', () => {
    for (const definition of EVENT_DEFINITIONS) {
      expect(() => upcastAndParse(definition, definition.version + 1, {})).toThrow(/newer than/u);
    }
  });

  test('what personal fields read as once a person is erased still has a valid shape', () => {
    for (const definition of EVENT_DEFINITIONS) {
      const sample = golden.find(({ type, version }) => type === definition.type && version === definition.version);
      const erased = { ...(sample?.current as object), ...definition.personal };
      expect(definition.schema.safeParse(erased).success, definition.type).toBe(true);
    }
  });
});
