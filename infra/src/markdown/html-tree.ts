import type { fromHtml } from 'hast-util-from-html';

/**
 * A fragment of HTML as a syntax tree (hast). The types are derived from a function of the hast library, because the
 * library does not export them.
 */
export type Root = ReturnType<typeof fromHtml>;
export type Element = Extract<Root['children'][number], { readonly type: 'element' }>;
export type ElementContent = Element['children'][number];
