import * as z from 'zod/mini';
import { registerSharedSchema, registerView } from '../component.ts';
import { CATEGORIES } from '../../listing/categories.ts';
import { HOUSE_RULE_IDS } from '../../moderation/rules.ts';
import { SUBJECT_KINDS } from '../../moderation/subject.ts';

/** Parts that the response schemas share. Responses normally contain every property, with null for a missing value. */

/** Adds a description for the API document to a schema. */
export function described<Schema extends z.ZodMiniType>(schema: Schema, description: string): Schema {
  return schema.check(z.describe(description));
}

/** Returns the schema of a text that is one of `values`, each of which has a description in the API document. */
export function describedValues<const Value extends string>(
  values: readonly [Value, ...Value[]],
  describe: (value: Value) => string,
) {
  const oneOf = values.map((value) => ({ const: value, description: describe(value) }));
  return z.enum(values).check(z.meta({ oneOf }));
}

const successFlag = z.literal(true);
export const timestamp = z.iso.datetime();
export const count = z.int().check(z.nonnegative());
export const booleanFlag = z.boolean();
/** The text of a response for people. Programs must evaluate `code` or the HTTP status instead of this text. */
export const message = registerSharedSchema('Message', described(z.string(), 'A text for people.'));
export const accountNames = described(
  z.record(z.string(), z.string()),
  'Display names of the accounts in the entries, by id. Closed accounts are omitted.',
);
export const nextCursor = registerSharedSchema(
  'NextCursor',
  described(z.nullable(z.string()), 'The `cursor` of the next page. Null on the last page.'),
);
export const total = registerSharedSchema(
  'Total',
  described(z.nullable(count), 'Number of entries on all pages. Null if counting would take too long.'),
);
export const category = registerSharedSchema('AdCategory', z.enum(CATEGORIES));
export const houseRule = registerSharedSchema('HouseRule', z.enum(HOUSE_RULE_IDS));
export const subjectKind = registerSharedSchema('SubjectKind', z.enum(SUBJECT_KINDS));

/** Registers the schema of a successful response: `success`, and the properties of `shape`. */
export function registerSuccess<Shape extends z.core.$ZodLooseShape>(name: string, shape: Shape) {
  return registerView(name, { success: successFlag, ...shape });
}

/** Response of a successful operation that returns no data. */
export const emptyResultResponse = registerSuccess('DoneAnswer', { message });
