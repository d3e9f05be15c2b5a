const IN_SCRIPT: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/**
 * Escapes JSON for a `<script>` element, so that the JSON cannot end the element or start another one. Parsing the
 * escaped JSON returns the same value.
 */
export function escapeScriptJson(json: string): string {
  return json.replaceAll(/[<>&\u2028\u2029]/gu, (character) => IN_SCRIPT[character] ?? '');
}
