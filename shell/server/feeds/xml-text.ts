/** Characters that XML 1.0 does not allow (section 2.2). */
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/gu;

/**
 * Prepares text or HTML for a CDATA section. Removes characters that XML does not allow. Escapes `]]>`, because it
 * would end the section.
 */
export function escapeCdata(text: string): string {
  return text.toWellFormed().replaceAll(NOT_IN_XML, '').replaceAll(']]>', ']]&gt;');
}
