import * as z from 'zod/mini';

type WithNullDefaults<Shape> = {
  readonly [Name in keyof Shape]: Shape[Name] extends z.ZodMiniNullable ? z.ZodMiniDefault<Shape[Name]> : Shape[Name];
};

/**
 * Returns the schemas of the fields of an object, with the default null for each field that may be null. An object
 * without such a field is therefore valid, e.g. a request of an older front end or an event of an older build.
 */
export function withNullDefaults<Shape extends Readonly<Record<string, z.ZodMiniType>>>(
  shape: Shape,
): WithNullDefaults<Shape> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [
      name,
      schema._zod.def.type === 'nullable' ? z._default(schema, null) : schema,
    ]),
  ) as WithNullDefaults<Shape>;
}
