/** A list of at most this number of ads is short. More ads of nearby cities are offered below it. */
export const SHORT_LIST_ads = 8;
