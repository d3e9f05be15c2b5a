/** As much of a text as search engines and shared links show. */
export const EXCERPT_MAX = 155;
