/** A format of the blog's feed, for example Atom or RSS. */
export interface FeedFormat {
  readonly path: string;
  readonly type: string;
  readonly name: 'RSS' | 'Atom';
}

export const FEEDS: readonly FeedFormat[] = [
  { path: '/blog/rss.xml', type: 'application/rss+xml', name: 'RSS' },
  { path: '/blog/atom.xml', type: 'application/atom+xml', name: 'Atom' },
];
