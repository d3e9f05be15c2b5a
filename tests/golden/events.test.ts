import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findEventDefinition, EVENT_DEFINITIONS, upcastAndParse } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';

/**
 * Content of a file in the folder `events`. There is one file for each version of each event type that was
 * ever stored. `stored` is the data in that version. `current` is the data after conversion to the current
 * version, without optional fields that are newer than the file.
 */
interface Golden {
  readonly type: string;
  readonly version: number;
  readonly stored: unknown;
  readonly current: object;
}

const folder = path.join(import.meta.dirname, 'events');
const files = readdirSync(folder);
const golden = files.map((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Golden);

describe('golden events', () => {
  test.each(golden.map((one) => [`${one.type} version ${one.version}`, one] as const))(
    '%s can still be read',
    (_name, { type, version, stored, current }) => {
      const definition = findEventDefinition(type);
      if (!definition) throw new Error(`${type} is unknown, so its history is unreadable`);
      const read = upcastAndParse(definition, version, stored) as object;
      // An optional field is added without a new version. It is null in events from before.
      const newer = Object.keys(read).filter((field) => !(field in current));
      expect(read).toEqual({ ...Object.fromEntries(newer.map((field) => [field, null])), ...current });
    },
  );

  test('cover every version of every event', () => {
    const needed = EVENT_DEFINITIONS.flatMap(({ type, version }) =>
      Array.from({ length: version }, (_, index) => `${type}.v${index + 1}.json`),
    );
    expect([...files].sort()).toEqual([...needed].sort());
  });

  test('a version that is newer than this build is rejected', () => {
    for (const definition of EVENT_DEFINITIONS) {
      expect(() => upcastAndParse(definition, definition.version + 1, {})).toThrow(/newer than/u);
    }
  });

  test('the values of personal fields after an erasure have a valid shape', () => {
    for (const definition of EVENT_DEFINITIONS) {
      const sample = golden.find(({ type, version }) => type === definition.type && version === definition.version);
      const erased = { ...sample?.current, ...definition.personalFields };
      expect(definition.schema.safeParse(erased).success, definition.type).toBe(true);
    }
  });
});
