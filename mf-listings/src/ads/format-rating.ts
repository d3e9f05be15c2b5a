/** Formats by language. Creating one takes longer than formatting all ratings of a list. */
const formats: Record<string, Intl.NumberFormat> = {};

/** Formats a rating with one decimal place, in the number format of the visitor's language. */
export const formatRating = (rating: number, locale: string): string =>
  (formats[locale] ??= new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })).format(
    rating,
  );
