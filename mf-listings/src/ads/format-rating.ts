/** Formats a rating with one decimal place, in the number format of the visitor's language. */
export const formatRating = (rating: number, locale: string): string =>
  rating.toLocaleString(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
