import type * as z from 'zod/mini';

/**
 * Decides which events of a type are entries of the moderation log.
 * - `always`: every event.
 * - `by-others`: events that were caused by an account other than the affected one.
 * - `sinceVersion`: events of this version or a later one. Earlier events are never added to the log afterwards.
 * - `never`: no event.
 */
type ModerationLogRule = 'always' | 'by-others' | 'never' | { readonly sinceVersion: number };

/**
 * Decides which account's data export contains an event.
 * - `subject`: the account that owns the stream, or whose key protects the personal fields.
 * - `nobody`: no account.
 * - `accountIn`: only the account whose id is in the named field.
 */
type Disclosure<Field extends string = string> = 'subject' | 'nobody' | { readonly accountIn: Field };

/**
 * The properties of an event type. `schema` describes the shape of the newest version. It contains no business rules,
 * because a stricter rule would make stored events unreadable.
 */
export interface EventDefinition<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly version: number;
  readonly schema: z.ZodMiniType<Data>;
  /**
   * The fields that identify a person, with the values that replace them after the erasure of the person. `undefined`
   * removes a field. The fields are stored encrypted with the key of the account that `getSubjectId` returns.
   */
  readonly personalFields: Readonly<Partial<Record<keyof Data & string, unknown>>>;
  /** The fields that a data export omits: hashes and keys, because only an attacker can use them. */
  readonly secretFields: readonly string[];
  readonly moderationLog: ModerationLogRule;
  readonly disclosedTo: Disclosure;
  /**
   * Returns the id of the account whose key encrypts the personal fields. If it is null, they are stored unencrypted,
   * as in demo data.
   */
  getSubjectId(data: Data): string | null;
  /** Functions that convert data of version n to version n + 1. The key is n. */
  readonly upcasters: Readonly<Record<number, (data: unknown) => unknown>>;
}

type Defined<Schema extends z.ZodMiniType> = EventDefinition<string, z.output<Schema>>;

/**
 * The options of an event type. They have no defaults for the policy, so that every new event type must state all of
 * it.
 */
type Options<Schema extends z.ZodMiniType> = {
  readonly version: number;
  readonly schema: Schema;
  readonly secretFields: readonly (keyof z.output<Schema> & string)[];
  readonly disclosedTo: Disclosure<keyof z.output<Schema> & string>;
} & Pick<Defined<Schema>, 'personalFields' | 'moderationLog'> &
  Partial<Pick<Defined<Schema>, 'getSubjectId' | 'upcasters'>>;

/** Declares an event type. Its policy covers personal data, secrets, the moderation log and data exports. */
export function defineEvent<const Type extends string, Schema extends z.ZodMiniType>(
  type: Type,
  { schema, getSubjectId, upcasters, ...rest }: Options<Schema>,
): EventDefinition<Type, z.output<Schema>> {
  return {
    type,
    ...rest,
    schema: schema as z.ZodMiniType<z.output<Schema>>,
    getSubjectId: getSubjectId ?? (() => null),
    upcasters: upcasters ?? {},
  };
}

/** The type of the events of a definition. Deciders return such events, and `evolve` accepts them. */
export type EventFromDefinition<Definition> =
  Definition extends EventDefinition<infer Type, infer Data> ? { readonly type: Type; readonly data: Data } : never;

/** The event was written by a newer build. It is valid, but only a process of that build can read it. */
export class NewerEventVersionError extends Error {
  override readonly name = 'NewerEventVersionError';
}

/**
 * Converts stored data of any known version to the newest version and validates it. Throws if the data is
 * invalid, and `NewerEventVersionError` if the version is unknown.
 */
export function upcastAndParse<Data>(definition: EventDefinition<string, Data>, version: number, data: unknown): Data {
  if (version > definition.version) {
    throw new NewerEventVersionError(
      `${definition.type} version ${version} is newer than version ${definition.version} of this build`,
    );
  }
  let current = data;
  for (let from = version; from < definition.version; from += 1) {
    const upcast = definition.upcasters[from];
    if (!upcast) throw new Error(`${definition.type} has no upcast from version ${from}`);
    current = upcast(current);
  }
  return definition.schema.parse(current);
}
