import type * as z from 'zod/mini';

/**
 * Decides which events of a type are entries of the moderation log.
 * - `always`: every event.
 * - `by-others`: events that were caused by an account other than the affected one.
 * - `sinceVersion`: events of this version or a later one. Events of earlier versions are never added to the log.
 * - `never`: no event.
 */
type ModerationLogRule = 'always' | 'by-others' | 'never' | { readonly sinceVersion: number };

/**
 * The types of the entries of the moderation log that are not about an event.
 * - `AuditChainContinued`: an operator has continued the audit chain after the event log had lost events.
 */
export const ENTRY_TYPES_WITHOUT_EVENT = ['AuditChainContinued'] as const;

/**
 * Decides which account's data export contains an event.
 * - `subject`: the account that owns the stream, and the account whose key encrypts the personal fields.
 * - `nobody`: no account.
 * - `accountIn`: only the account whose id is in the named field.
 */
type Disclosure<Field extends string = string> = 'subject' | 'nobody' | { readonly accountIn: Field };

/**
 * The properties of an event type. `schema` describes the shape of the newest version of the event data. The schema
 * contains no business rules, because stored events must stay readable if a business rule becomes stricter.
 */
export interface EventDefinition<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly version: number;
  readonly schema: z.ZodMiniType<Data>;
  /**
   * The fields that identify a person, and the values that replace them after the personal data is erased. The value
   * `undefined` removes the field. The fields are stored encrypted with the key of the account that `getSubjectId`
   * returns.
   */
  readonly personalFields: Readonly<Partial<Record<keyof Data & string, unknown>>>;
  /** The fields that a data export omits, e.g. password hashes, because only an attacker could use them. */
  readonly secretFields: readonly string[];
  readonly moderationLog: ModerationLogRule;
  readonly disclosedTo: Disclosure;
  /**
   * Returns the id of the account whose key encrypts the personal fields. Null means that the fields are stored
   * unencrypted, e.g. in demo data.
   */
  getSubjectId(data: Data): string | null;
  /**
   * Functions that convert event data from one version to the next. The function with the key n converts version n to
   * version n + 1.
   */
  readonly upcasters: Readonly<Record<number, (data: unknown) => unknown>>;
}

type Defined<Schema extends z.ZodMiniType> = EventDefinition<string, z.output<Schema>>;

/**
 * The options of an event type. The options for personal data, secrets, the moderation log and data exports have no
 * defaults, so that every new event type must set them explicitly.
 */
type Options<Schema extends z.ZodMiniType> = {
  readonly version: number;
  readonly schema: Schema;
  readonly secretFields: readonly (keyof z.output<Schema> & string)[];
  readonly disclosedTo: Disclosure<keyof z.output<Schema> & string>;
} & Pick<Defined<Schema>, 'personalFields' | 'moderationLog'> &
  Partial<Pick<Defined<Schema>, 'getSubjectId' | 'upcasters'>>;

/** Declares an event type, including its rules for personal data, secrets, the moderation log and data exports. */
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

/**
 * The TypeScript type of the events that a definition describes. Deciders return events of this type, and `evolve`
 * applies them to a state.
 */
export type EventFromDefinition<Definition> =
  Definition extends EventDefinition<infer Type, infer Data> ? { readonly type: Type; readonly data: Data } : never;

/** The event was written by a newer build of the software. The event is valid, but this build cannot read it. */
export class NewerEventVersionError extends Error {
  override readonly name = 'NewerEventVersionError';
}

/**
 * The personal fields of a stored event cannot be decrypted, because their key is missing or the data is damaged. The
 * event can be read again after the cause is repaired, so it must not be handled without these fields.
 */
export class UnreadableEventError extends Error {
  override readonly name = 'UnreadableEventError';
}

/**
 * Converts stored event data of any known version to the newest version and validates the result. Throws
 * `NewerEventVersionError` if a newer build wrote the data, and another error if the data is invalid.
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
