import type { FieldErrors, Resolver } from 'react-hook-form';
import {
  newAdFields,
  REQUIRED,
  SOCIAL_NETWORKS,
  type AdChanges,
  type AdView,
  type NewAdFields,
  type SocialNetwork,
} from '@alpenglow/domain/contracts';
import { t } from '../text.ts';

/** The form's text controls. A field that is neither here nor in `Elsewhere` does not compile. */
const TEXT_FIELDS = [
  'name',
  'title',
  'category',
  'state',
  'city',
  'description',
  'phone',
] as const satisfies readonly (keyof NewAdFields)[];
type TextField = (typeof TEXT_FIELDS)[number];
/** Photos and video are sent before the form is, links have a part of their own; price and body are not asked for. */
type Elsewhere = 'photos' | 'video' | 'socialMedia' | 'price' | 'body';

/** What stands in the form's controls. */
export type FormValues = Record<TextField, string> &
  Record<Exclude<keyof NewAdFields, TextField | Elsewhere>, never> & {
    socialMedia: Record<SocialNetwork, string>;
  };

const perField = (valueOf: (field: TextField) => string) =>
  Object.fromEntries(TEXT_FIELDS.map((field) => [field, valueOf(field)])) as Record<TextField, string>;

const perNetwork = (valueOf: (network: SocialNetwork) => string) =>
  Object.fromEntries(SOCIAL_NETWORKS.map((network) => [network, valueOf(network)])) as Record<SocialNetwork, string>;

export const EMPTY: FormValues = { ...perField(() => ''), socialMedia: perNetwork(() => '') };

/** An ad as the form shows it. */
export function valuesOf(ad: AdView): FormValues {
  return {
    ...perField((field) => ad[field] ?? ''),
    socialMedia: perNetwork((network) => ad.socialMedia[network] ?? ''),
  };
}

/** The same field rules as the server's, in its words. */
export const resolveForm: Resolver<FormValues, unknown, NewAdFields> = (values) => {
  const parsed = newAdFields.safeParse(values);
  if (parsed.success) return { values: parsed.data, errors: {} };
  const errors: Record<string, unknown> = {};
  for (const { path, message, code } of parsed.error.issues) {
    const [field = 'root', part] = path.map(String);
    const error = { type: code, message };
    if (part === undefined) errors[field] ??= error;
    else errors[field] = { [part]: error, ...(errors[field] as object | undefined) };
  }
  return { values: {}, errors: errors as FieldErrors<FormValues> };
};

const REQUIRED_FIELDS = [
  'name',
  'title',
  'category',
  'state',
  'city',
  'description',
] as const satisfies readonly TextField[];

/** What is said beside a field. A required one that is empty is told by its own name. */
export function fieldText(field: TextField, message: string | undefined): string | undefined {
  const required = message === REQUIRED ? REQUIRED_FIELDS.find((one) => one === field) : undefined;
  return required === undefined ? message : t(`missing.${required}`);
}

/** Whether something required is missing, so that the form says so as a whole. */
export function lacksRequired(values: FormValues): boolean {
  return REQUIRED_FIELDS.some((field) => values[field].trim() === '');
}

/** Whether two states of the form say the same. */
export function isSameForm(some: FormValues, others: FormValues): boolean {
  return (
    TEXT_FIELDS.every((field) => some[field] === others[field]) &&
    SOCIAL_NETWORKS.every((network) => some.socialMedia[network] === others.socialMedia[network])
  );
}

/** What differs from the ad (specification, section 7: changed fields only). */
export function changesOf(ad: AdView, fields: NewAdFields): AdChanges {
  const changed = Object.fromEntries(
    TEXT_FIELDS.filter((field) => fields[field] !== ad[field]).map((field) => [field, fields[field]]),
  ) as AdChanges;
  const socialMedia = fields.socialMedia;
  const sameLinks = SOCIAL_NETWORKS.every((network) => (socialMedia?.[network] ?? null) === ad.socialMedia[network]);
  return sameLinks ? changed : { ...changed, socialMedia };
}

/** On update only URLs that start with the upload path or with http are sent (specification, section 5). */
export function isSendableUrl(url: string): boolean {
  return /^(?:\/?uploads\/|https?:\/\/)/u.test(url);
}
