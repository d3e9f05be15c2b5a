import type * as z from 'zod/mini';

/**
 * What is known of one event type. `schema` describes the shape of the newest version, never a business rule: tightening a
 * rule must not make history unreadable.
 */
export interface EventDefinition<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly version: number;
  readonly schema: z.ZodMiniType<Data>;
  /**
   * The fields that identify a person, each with what stands in its place once the person is erased (`undefined`: the field
   * is left out). They are stored encrypted with the key of the account `subjectOf` names.
   */
  readonly personal: Readonly<Partial<Record<keyof Data & string, unknown>>>;
  /** The account whose key protects the personal fields; null stores them readable (demo data only). */
  subjectOf(data: Data): string | null;
  /** From version n to n + 1, by n. */
  readonly upcasts: Readonly<Record<number, (data: unknown) => unknown>>;
}

type Options<Schema extends z.ZodMiniType> = {
  readonly version: number;
  readonly schema: Schema;
} & Partial<Pick<EventDefinition<string, z.output<Schema>>, 'personal' | 'subjectOf' | 'upcasts'>>;

/** Declares an event type. Without `personal`, nothing in it identifies a person. */
export function defineEvent<const Type extends string, Schema extends z.ZodMiniType>(
  type: Type,
  { version, schema, personal, subjectOf, upcasts }: Options<Schema>,
): EventDefinition<Type, z.output<Schema>> {
  return {
    type,
    version,
    schema: schema as z.ZodMiniType<z.output<Schema>>,
    personal: personal ?? ({} as NonNullable<typeof personal>),
    subjectOf: subjectOf ?? (() => null),
    upcasts: upcasts ?? {},
  };
}

/** The event a definition describes, as deciders return it and `evolve` takes it. */
export type EventOf<Definition> =
  Definition extends EventDefinition<infer Type, infer Data> ? { readonly type: Type; readonly data: Data } : never;

/** A build newer than this one wrote the event: not a broken event, but one for another process. */
export class EventFromNewerBuild extends Error {
  override readonly name = 'EventFromNewerBuild';
}

/** Brings stored data of any known version to the newest one and checks its shape. Throws when it does not fit, and `EventFromNewerBuild`. */
export function upcastAndParse<Data>(definition: EventDefinition<string, Data>, version: number, data: unknown): Data {
  if (version > definition.version) {
    throw new EventFromNewerBuild(
      `${definition.type} version ${version} is newer than the ${definition.version} this build knows`,
    );
  }
  let current = data;
  for (let from = version; from < definition.version; from += 1) {
    const upcast = definition.upcasts[from];
    if (!upcast) throw new Error(`${definition.type} has no upcast from version ${from}`);
    current = upcast(current);
  }
  return definition.schema.parse(current);
}
