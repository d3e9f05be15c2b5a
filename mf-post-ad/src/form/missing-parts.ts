import { SOCIAL_NETWORKS } from '@alpenglow/domain/contracts';
import type { FieldName, FormValues } from './form-values.ts';

/**
 * The parts that help visitors to decide, the most important first. None of them is required. The last part is
 * that the server accepts every field.
 */
export const AD_PARTS = ['contact', 'photo', 'price', 'description', 'title', 'fields'] as const;
export type AdPart = (typeof AD_PARTS)[number];

/** A shorter description or title says too little to visitors. */
const FULL_DESCRIPTION_characters = 150;
const FULL_TITLE_characters = 12;

interface OtherParts {
  readonly photos: number;
  /** The number of contact details in the texts. */
  readonly contactsInTexts: number;
  /** The fields that the server does not accept. */
  readonly invalidFields: readonly FieldName[];
}

/** Returns true if the form has a phone number or a link. */
export const hasContactFields = ({ phone, socialMedia }: FormValues): boolean =>
  [phone, ...SOCIAL_NETWORKS.map((network) => socialMedia[network])].some(hasText);

/** Returns the parts that an ad with these values still lacks. */
export function findMissingParts(values: FormValues, others: OtherParts): readonly AdPart[] {
  const { photos, contactsInTexts, invalidFields } = others;
  const isPresent: Readonly<Record<AdPart, boolean>> = {
    contact: hasContactFields(values) || contactsInTexts > 0,
    photo: photos > 0,
    price: hasText(values.price),
    description: lengthOf(values.description) >= FULL_DESCRIPTION_characters,
    title: lengthOf(values.title) >= FULL_TITLE_characters,
    fields: findFieldsToCorrect(values, invalidFields).length === 0,
  };
  return AD_PARTS.filter((part) => !isPresent[part]);
}

/** Returns the invalid fields, except an empty title or description, which is a missing part. */
export const findFieldsToCorrect = (values: FormValues, invalidFields: readonly FieldName[]): readonly FieldName[] =>
  invalidFields.filter((field) => (field !== 'title' && field !== 'description') || hasText(values[field]));

const hasText = (text: string) => text.trim() !== '';
const lengthOf = (text: string) => text.trim().length;
