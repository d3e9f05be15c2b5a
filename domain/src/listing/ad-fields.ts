import * as z from 'zod/mini';
import type { NewAdFields } from './fields.ts';

/** Declares what the product does with a field that the poster of an ad fills in. `fields.ts` has its validation. */
export interface AdField {
  /**
   * A `text` is written by the poster. Moderators and hiding rules read it, and it may contain contact details. A
   * `choice` is from a list of ours.
   */
  readonly kind: 'text' | 'choice' | 'links' | 'media';
  /** The place of the field: cards and the page of the ad, only the page, or only the contact details. */
  readonly shownIn: 'card' | 'page' | 'contact';
  /** The shape of the field in events. A field that may be null is null in events from before the field existed. */
  readonly stored: z.ZodMiniType;
  /** The value of an ad without the field. It replaces the field after an erasure. */
  readonly empty: unknown;
  /** True if the field identifies no person, e.g. the price. An erasure then retains its value. */
  readonly isRetained?: boolean;
  /** True if visitors read the contact details in the text. By default, all public responses hide them. */
  readonly showsContactDetails?: boolean;
}

const textOrNull = z.nullable(z.string());

const requiredText = <const Place extends AdField['shownIn']>(shownIn: Place) =>
  ({ kind: 'text', shownIn, stored: z.string(), empty: '' }) as const;

const optionalText = <const Place extends AdField['shownIn']>(shownIn: Place) =>
  ({ kind: 'text', shownIn, stored: textOrNull, empty: null }) as const;

const choice = <Stored extends z.ZodMiniType>(stored: Stored) =>
  ({ kind: 'choice', shownIn: 'card', stored, empty: '', isRetained: true }) as const;

const socialMedia = z.nullable(
  z.object({
    instagram: textOrNull,
    twitter: textOrNull,
    facebook: textOrNull,
    snapchat: textOrNull,
    tiktok: textOrNull,
    onlyfans: textOrNull,
    website: textOrNull,
  }),
);

/**
 * The fields that the poster of an ad fills in. Events, the read models, the API, the history, moderation, data exports
 * and erasures derive their lists of fields from this declaration. The compiler reports an error if a field of the form
 * is missing here.
 */
export const AD_FIELDS = {
  name: requiredText('card'),
  title: requiredText('card'),
  category: choice(z.enum(['escort', 'massage', 'companion', 'fetish'])),
  state: choice(z.string()),
  city: choice(z.string()),
  description: requiredText('page'),
  price: { ...optionalText('card'), isRetained: true },
  body: optionalText('page'),
  phone: optionalText('contact'),
  socialMedia: { kind: 'links', shownIn: 'contact', stored: socialMedia, empty: null },
  /** Media ids of the photos, the cover first. */
  photos: { kind: 'media', shownIn: 'card', stored: z.array(z.string()), empty: [], isRetained: true },
  /** Media id of the video, or null. */
  video: { kind: 'media', shownIn: 'card', stored: textOrNull, empty: null, isRetained: true },
} as const satisfies Readonly<Record<keyof NewAdFields, AdField>>;

type Declared = typeof AD_FIELDS;
type AdFieldName = keyof Declared;

/** The names of the fields whose declaration has these properties. */
type NamesOf<Properties> = {
  [Name in AdFieldName]: Declared[Name] extends Properties ? Name : never;
}[AdFieldName];

export const AD_FIELD_NAMES = Object.keys(AD_FIELDS) as readonly AdFieldName[];

function namesOf<const Properties extends Partial<AdField>>(properties: Properties): readonly NamesOf<Properties>[] {
  const wanted = Object.entries(properties);
  const hasProperties = (name: AdFieldName): name is NamesOf<Properties> => {
    const field: Readonly<Record<string, unknown>> = AD_FIELDS[name];
    return wanted.every(([property, value]) => field[property] === value);
  };
  return AD_FIELD_NAMES.filter(hasProperties);
}

/** The texts of an ad, which moderators and hiding rules read. */
export const AD_TEXTS = namesOf({ kind: 'text' });
/** The texts on cards and on the page of an ad. */
export const CARD_TEXTS = namesOf({ kind: 'text', shownIn: 'card' });
/** The texts that only the page of an ad and complete entries of lists show. */
export const PAGE_TEXTS = namesOf({ kind: 'text', shownIn: 'page' });

/** The fields with a value from a list of ours. */
export const AD_CHOICES = namesOf({ kind: 'choice' });

export type AdChoice = (typeof AD_CHOICES)[number];
export type AdText = (typeof AD_TEXTS)[number];
export type CardText = (typeof CARD_TEXTS)[number];
export type PageText = (typeof PAGE_TEXTS)[number];

/** The values of texts of an ad by name. */
export type TextValues<Name extends AdText> = { readonly [N in Name]: z.output<Declared[N]['stored']> };

/** Returns only the properties with these names. */
export function pick<Values, const Name extends keyof Values>(
  values: Values,
  names: readonly Name[],
): Pick<Values, Name> {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as unknown as Pick<Values, Name>;
}

/** Returns the shapes of fields in events and in the API. */
export function storedSchemas<Name extends AdFieldName>(
  names: readonly Name[],
): { readonly [N in Name]: Declared[N]['stored'] } {
  return Object.fromEntries(names.map((name) => [name, AD_FIELDS[name].stored])) as {
    readonly [N in Name]: Declared[N]['stored'];
  };
}

/** Returns the values of an ad without these texts. */
export function emptyTexts<Name extends AdText>(names: readonly Name[]): TextValues<Name> {
  return Object.fromEntries(names.map((name) => [name, AD_FIELDS[name].empty])) as TextValues<Name>;
}

/** Returns the names of the texts in which visitors do not read contact details. */
export function findMaskedTexts(fields: Readonly<Record<string, AdField>>): readonly string[] {
  return Object.entries(fields).flatMap(([name, { kind, shownIn, showsContactDetails }]) =>
    kind === 'text' && shownIn !== 'contact' && showsContactDetails !== true ? [name] : [],
  );
}

type OptionalField = {
  [Name in AdFieldName]: Declared[Name] extends { readonly kind: 'media' }
    ? never
    : Declared[Name]['empty'] extends null
      ? Name
      : never;
}[AdFieldName];

/** The fields of the form of an ad, except photos and video. The optional ones may be absent. */
export type AdContent = Omit<NewAdFields, 'photos' | 'video' | OptionalField> &
  Partial<Pick<NewAdFields, OptionalField>>;

/** Null for each optional field of an ad, except photos and video. */
export const EMPTY_OPTIONAL_FIELDS = Object.fromEntries(
  Object.entries<AdField>(AD_FIELDS).flatMap(([name, { kind, empty }]) =>
    kind !== 'media' && empty === null ? [[name, null]] : [],
  ),
) as { readonly [Name in OptionalField]: null };

const CONTENT_FIELDS = AD_FIELD_NAMES.filter((name): name is keyof AdContent => AD_FIELDS[name].kind !== 'media');

/** Returns all fields of the form of an ad in the order of the declaration. Absent fields are null. */
export function completeContent(content: AdContent): Omit<NewAdFields, 'photos' | 'video'> {
  return pick({ ...EMPTY_OPTIONAL_FIELDS, ...content }, CONTENT_FIELDS);
}
