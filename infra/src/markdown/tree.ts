import type { fromHtml } from 'hast-util-from-html';

/** A piece of HTML as a tree (hast), in the words of the library that makes it: the types have no module of their own. */
export type Root = ReturnType<typeof fromHtml>;
export type Element = Extract<Root['children'][number], { readonly type: 'element' }>;
export type ElementContent = Element['children'][number];
