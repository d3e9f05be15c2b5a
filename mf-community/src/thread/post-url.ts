/**
 * Returns the post that a URL selects with `?post=12`, `?post=last` or `#post-12`. Returns null if it selects no post,
 * which means the beginning of the thread.
 */
export function parsePostUrl({
  search,
  hash,
}: {
  readonly search: string;
  readonly hash: string;
}): number | 'last' | null {
  const requested = new URLSearchParams(search).get('post') ?? /^#post-(\d+)$/u.exec(hash)?.[1] ?? null;
  if (requested === 'last') return 'last';
  const number = requested !== null && /^\d{1,7}$/u.test(requested) ? Number(requested) : 0;
  return number > 0 ? number : null;
}

/** Returns the id of the HTML element of a post. The URL of the post has the same fragment. */
export const getPostAnchor = (number: number): string => `post-${number}`;

/** Returns the URL of one post. Its query selects the page of replies that contains the post. */
export const getPostUrl = (path: string, number: number): string =>
  number === 0 ? path : `${path}?post=${number}#${getPostAnchor(number)}`;
