/** A feed of the blog. */
export interface FeedFormat {
  readonly path: string;
  readonly type: string;
  readonly name: 'RSS' | 'Atom';
}

export const FEEDS: readonly FeedFormat[] = [
  { path: '/blog/rss.xml', type: 'application/rss+xml', name: 'RSS' },
  { path: '/blog/atom.xml', type: 'application/atom+xml', name: 'Atom' },
];
