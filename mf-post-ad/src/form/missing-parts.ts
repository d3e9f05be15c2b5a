import { SOCIAL_NETWORKS } from '@alpenglow/domain/contracts';
import type { FormValues } from './form-values.ts';

/** The parts that help visitors to decide, the most important first. None of them is required. */
export const AD_PARTS = ['contact', 'photo', 'price', 'description', 'title'] as const;
export type AdPart = (typeof AD_PARTS)[number];

/** A shorter description or title says too little to visitors. */
const FULL_DESCRIPTION_characters = 150;
const FULL_TITLE_characters = 12;

interface OtherParts {
  readonly photos: number;
  /** The number of contact details in the texts. */
  readonly contactsInTexts: number;
}

/** Returns true if the form has a phone number or a link. */
export const hasContactFields = ({ phone, socialMedia }: FormValues): boolean =>
  [phone, ...SOCIAL_NETWORKS.map((network) => socialMedia[network])].some(hasText);

/** Returns the parts that an ad with these values still lacks. */
export function findMissingParts(values: FormValues, { photos, contactsInTexts }: OtherParts): readonly AdPart[] {
  const isPresent: Readonly<Record<AdPart, boolean>> = {
    contact: hasContactFields(values) || contactsInTexts > 0,
    photo: photos > 0,
    price: hasText(values.price),
    description: lengthOf(values.description) >= FULL_DESCRIPTION_characters,
    title: lengthOf(values.title) >= FULL_TITLE_characters,
  };
  return AD_PARTS.filter((part) => !isPresent[part]);
}

const hasText = (text: string) => text.trim() !== '';
const lengthOf = (text: string) => text.trim().length;
