/** A tag with its attributes as our Markdown writes them: in double quotes, where nothing in a text can look like one. */
const TAG = /<[a-z][a-z0-9]*(?:\s+[a-z-]+(?:="[^"]*")?)+\s*\/?>/gu;
const OF_THIS_SITE = /(\s(?:href|src)=")\/(?!\/)/gu;

/** HTML of ours with the links and pictures of this site made absolute, for where it is read elsewhere. */
export function withAbsoluteLinks(html: string, origin: string): string {
  return html.replaceAll(TAG, (tag) => tag.replaceAll(OF_THIS_SITE, `$1${origin.replaceAll('$', '$$$$')}/`));
}
