import { CONTACT_MARK } from '../contracts/contact-marks.ts';
import { AD_FIELDS, findMaskedTexts, type CardText, type PageText } from '../listing/ad-fields.ts';
import { findContactDetails } from './find-contact-details.ts';

function replaceContactDetails(text: string, replacement: string): string {
  let result = '';
  let end = 0;
  for (const span of findContactDetails(text)) {
    result += text.slice(end, span.start) + replacement;
    end = span.end;
  }
  return result + text.slice(end);
}

/**
 * Returns a text with a mark instead of each contact detail. A text without contact details stays unchanged. Line
 * breaks stay. This function decides for the whole product what counts as contact details. The projection `ad_cards`
 * stores the words of such texts, so a change of the function needs a new version of it.
 */
export function hideContactDetails(text: string): string {
  return replaceContactDetails(text, CONTACT_MARK);
}

/**
 * Returns a text on one line without contact details. Search engines store the texts of pages, so these must not
 * contain contact details (F-23).
 */
export function removeContactDetails(text: string): string {
  return replaceContactDetails(text, ' ').replaceAll(/\s+/gu, ' ').trim();
}

interface ReviewTexts {
  readonly name: string;
  readonly comment: string;
}

/** The texts that people have written about an ad. A view of an ad may have only some of them. */
type AdTexts = { readonly [Name in CardText | PageText]?: string | null } & {
  readonly reviews?: readonly ReviewTexts[];
};

const MASKED_TEXTS = findMaskedTexts(AD_FIELDS);

/** Returns the texts with these names that a view of an ad has. */
function textsOf(ad: object, names: readonly string[]): readonly (readonly [string, string])[] {
  const values = ad as Readonly<Record<string, unknown>>;
  return names.flatMap((name) => {
    const text = values[name];
    return typeof text === 'string' ? [[name, text] as const] : [];
  });
}

/**
 * Returns a view of an ad without contact details in its texts and its reviews, as everybody except the owner and
 * admins receives it. The response with the contact details has the complete texts.
 * @param names the names of the texts in which contact details are hidden, by default those of the declared fields
 */
export function hideContactDetailsInAd<Ad extends AdTexts>(ad: Ad, names: readonly string[] = MASKED_TEXTS): Ad {
  const texts = textsOf(ad, names).map(([name, text]) => [name, hideContactDetails(text)] as const);
  const reviews = ad.reviews && { reviews: ad.reviews.map(hideContactDetailsInReview) };
  return { ...ad, ...Object.fromEntries(texts), ...reviews };
}

/** Returns the number of contact details in the texts of an ad. */
export const countContactDetails = (ad: AdTexts): number =>
  textsOf(ad, MASKED_TEXTS).reduce((sum, [, text]) => sum + findContactDetails(text).length, 0);

/** Returns a review without contact details in its texts. */
export function hideContactDetailsInReview<Review extends ReviewTexts>(review: Review): Review {
  return { ...review, name: hideContactDetails(review.name), comment: hideContactDetails(review.comment) };
}
