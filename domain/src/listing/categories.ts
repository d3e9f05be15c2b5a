/**
 * The categories of ads. They are not in `fields.ts`, so that a page can list them without loading the validation code.
 */
export const CATEGORIES = ['escort', 'massage', 'companion', 'fetish'] as const;
export type Category = (typeof CATEGORIES)[number];
