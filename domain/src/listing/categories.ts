/** Apart from the field rules, so that a page that only lists categories does not load the rules' machinery. */
export const CATEGORIES = ['escort', 'massage', 'companion', 'fetish'] as const;
export type Category = (typeof CATEGORIES)[number];
