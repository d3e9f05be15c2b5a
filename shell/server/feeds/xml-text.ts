/** Control characters and the two non-characters that XML 1.0 (section 2.2) knows no way to write. */
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/gu;

/** Text or HTML as it may stand in a CDATA section: without what XML cannot say, and without its end, which is written as HTML writes it. */
export function inCdata(text: string): string {
  return text.toWellFormed().replaceAll(NOT_IN_XML, '').replaceAll(']]>', ']]&gt;');
}
