/** Which post an address means: `?post=12`, `?post=last`, or `#post-12`; null for the beginning. */
export function postInAddress({
  search,
  hash,
}: {
  readonly search: string;
  readonly hash: string;
}): number | 'last' | null {
  const asked = new URLSearchParams(search).get('post') ?? /^#post-(\d+)$/u.exec(hash)?.[1] ?? null;
  if (asked === 'last') return 'last';
  const number = asked !== null && /^\d{1,7}$/u.test(asked) ? Number(asked) : 0;
  return number > 0 ? number : null;
}

/** The id of a post's element, which its address names. */
export const anchorOf = (number: number): string => `post-${number}`;

/** The address of one post: it leads to its page of the thread, wherever that is. */
export const postAddress = (path: string, number: number): string =>
  number === 0 ? path : `${path}?post=${number}#${anchorOf(number)}`;
