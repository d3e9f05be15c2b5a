/** Text as it may stand in HTML and XML, inside quotes too. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

const IN_SCRIPT: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** JSON as it may stand inside a `<script>`: nothing in it can end the element or begin another. It reads back the same. */
export function inScript(json: string): string {
  return json.replaceAll(/[<>&\u2028\u2029]/gu, (character) => IN_SCRIPT[character] ?? '');
}
