/** Matches an HTML tag of our Markdown renderer, which quotes attributes with `"` and escapes all text. */
const TAG = /<[a-z][a-z0-9]*(?:\s+[a-z-]+(?:="[^"]*")?)+\s*\/?>/gu;
const LOCAL_LINK = /(\s(?:href|src)=")\/(?!\/)/gu;

/** Makes the URLs of links and pictures in our HTML absolute, because feed readers show the HTML on other sites. */
export function makeLinksAbsolute(html: string, origin: string): string {
  return html.replaceAll(TAG, (tag) => tag.replaceAll(LOCAL_LINK, `$1${origin.replaceAll('$', '$$$$')}/`));
}
