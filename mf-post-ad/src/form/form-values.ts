import {
  newAdFields,
  REQUIRED,
  SOCIAL_NETWORKS,
  type AdChanges,
  type AdView,
  type NewAdFields,
  type SocialNetwork,
} from '@alpenglow/domain/contracts';
import { createResolver } from '@alpenglow/ui';
import { t } from '../text.ts';

/**
 * Fields of an ad that are not text fields of the form. Photos and video are uploaded before the form is sent. Links
 * have their own part of the form.
 */
const ELSEWHERE = ['photos', 'video', 'socialMedia'] as const satisfies readonly (keyof NewAdFields)[];
type TextField = Exclude<keyof NewAdFields, (typeof ELSEWHERE)[number]>;
/** The text fields of the form, in the order of the declared fields. */
const TEXT_FIELDS = Object.keys(newAdFields.shape).filter(
  (field): field is TextField => !(ELSEWHERE as readonly string[]).includes(field),
);

export type FormValues = Record<TextField, string> & { socialMedia: Record<SocialNetwork, string> };

/** The name of a field of the form. That of a link is the name of its network. */
export type FieldName = TextField | SocialNetwork;

const perField = (valueOf: (field: TextField) => string) =>
  Object.fromEntries(TEXT_FIELDS.map((field) => [field, valueOf(field)])) as Record<TextField, string>;

const perNetwork = (valueOf: (network: SocialNetwork) => string) =>
  Object.fromEntries(SOCIAL_NETWORKS.map((network) => [network, valueOf(network)])) as Record<SocialNetwork, string>;

export const EMPTY_VALUES: FormValues = { ...perField(() => ''), socialMedia: perNetwork(() => '') };

/** Returns the value of a field as the form shows it. */
const valueOf = (ad: AdView, field: TextField) => (field === 'phone' ? (ad.phoneDisplay ?? ad.phone) : ad[field]);

/** Returns the content of an ad as values of the form. */
export function toFormValues(ad: AdView): FormValues {
  return {
    ...perField((field) => valueOf(ad, field) ?? ''),
    socialMedia: perNetwork((network) => ad.socialMedia[network] ?? ''),
  };
}

/** Validates the form with the rules of the server, so that the browser and the server show the same messages. */
export const resolveForm = createResolver<FormValues, NewAdFields>((values) => newAdFields.safeParse(values));

/** Returns the fields that the rules of the server reject, in the order of the form. */
export function findInvalidFields(values: FormValues): readonly FieldName[] {
  const { error } = newAdFields.safeParse(values);
  return toFieldNames(error?.issues.map(({ path }) => path) ?? []);
}

/** Returns the fields with these paths, e.g. `['phone']` and `['socialMedia', 'website']`, in the order of the form. */
export function toFieldNames(paths: readonly (readonly PropertyKey[])[]): readonly FieldName[] {
  const names = new Set(paths.map(([field, network]) => (field === 'socialMedia' ? network : field)));
  return [...TEXT_FIELDS, ...SOCIAL_NETWORKS].filter((name) => names.has(name));
}

const REQUIRED_FIELDS = [
  'name',
  'title',
  'category',
  'state',
  'city',
  'description',
] as const satisfies readonly TextField[];

/** Returns the error text of a field. Empty required fields have their own texts. */
export function getFieldErrorText(field: TextField, message: string | undefined): string | undefined {
  const required = message === REQUIRED ? REQUIRED_FIELDS.find((name) => name === field) : undefined;
  return required === undefined ? message : t(`missing.${required}`);
}

/** Checks whether a required field is empty. */
export function hasMissingFields(values: FormValues): boolean {
  return REQUIRED_FIELDS.some((field) => values[field].trim() === '');
}

/** Checks whether two sets of form values are equal. */
export function hasSameValues(first: FormValues, second: FormValues): boolean {
  return (
    TEXT_FIELDS.every((field) => first[field] === second[field]) &&
    SOCIAL_NETWORKS.every((network) => first.socialMedia[network] === second.socialMedia[network])
  );
}

/** Returns the form fields whose values differ from the ad. */
export function getChanges(ad: AdView, fields: NewAdFields): AdChanges {
  const changed = Object.fromEntries(
    TEXT_FIELDS.filter((field) => fields[field] !== valueOf(ad, field)).map((field) => [field, fields[field]]),
  ) as AdChanges;
  const socialMedia = fields.socialMedia;
  const sameLinks = SOCIAL_NETWORKS.every((network) => (socialMedia?.[network] ?? null) === ad.socialMedia[network]);
  return sameLinks ? changed : { ...changed, socialMedia };
}

/**
 * Checks whether an update of an ad may contain this URL of a photo or video. The URL must start with the upload path
 * or with `http`.
 */
export function isSendableUrl(url: string): boolean {
  return /^(?:\/?uploads\/|https?:\/\/)/u.test(url);
}
