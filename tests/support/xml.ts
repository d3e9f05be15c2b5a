/** An element of an XML document. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Text of the element, including CDATA sections. */
  readonly text: string;
}

const ILLEGAL = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const NAME = String.raw`[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?`;
const ATTRIBUTE = new RegExp(String.raw`\s+(${NAME})="([^<"]*)"`, 'uy');
const START = new RegExp(`<(${NAME})`, 'uy');
const END = new RegExp(String.raw`</(${NAME})\s*>`, 'uy');
const TEXT = /[^<]+/uy;
const CDATA = /<!\[CDATA\[([\s\S]*?)\]\]>/uy;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Parses an XML document and returns its root element. Throws if the document is not well-formed. It supports only the
 * parts of XML that feeds and sitemaps use, without DTD and processing instructions.
 */
export function parseXml(xml: string): XmlElement {
  let at = 0;
  const fail = (what: string): never => {
    throw new Error(`${what} at ${at}: ${xml.slice(at, at + 60)}`);
  };
  const illegal = ILLEGAL.exec(xml);
  if (illegal) throw new Error(`Invalid XML character at ${illegal.index}`);
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const match = pattern.exec(xml);
    if (match) at = pattern.lastIndex;
    return match;
  };

  function element(): XmlElement {
    const name = take(START)?.[1] ?? fail('Missing element');
    const attributes: Record<string, string> = {};
    for (let match = take(ATTRIBUTE); match; match = take(ATTRIBUTE)) {
      const [, key = '', value = ''] = match;
      if (key in attributes) fail(`Duplicate attribute ${key}`);
      attributes[key] = decodeReferences(value);
    }
    if (take(/\s*\/>/uy)) return { name, attributes, children: [], text: '' };
    if (!take(/\s*>/uy)) fail('Unterminated tag');
    const children: XmlElement[] = [];
    let text = '';
    for (;;) {
      const end = take(END);
      if (end) {
        if (end[1] !== name) fail(`Missing </${name}>`);
        return { name, attributes, children, text };
      }
      const [cdata, plainText] = [take(CDATA), take(TEXT)];
      if (cdata) text += cdata[1] ?? '';
      if (plainText)
        text += plainText[0].includes(']]>') ? fail(']]> outside of CDATA') : decodeReferences(plainText[0]);
      if (!cdata && !plainText) children.push(element());
    }
  }

  take(/<\?xml version="1\.0" encoding="utf-8"\?>\s*/iuy);
  const root = element();
  take(/\s+/uy);
  if (at !== xml.length) fail('Unexpected content after the root element');
  return root;
}

function decodeReferences(text: string): string {
  return text.replaceAll(/&([^;\s]*);?/gu, (reference, name: string) => {
    const code = /^#(?:x([0-9a-f]+)|(\d+))$/iu.exec(name);
    const character = code
      ? String.fromCodePoint(code[1] === undefined ? Number(code[2]) : Number.parseInt(code[1], 16))
      : NAMED[name];
    if (character === undefined || !reference.endsWith(';')) throw new Error(`${reference} is not a valid reference`);
    return character;
  });
}

/** Returns the children of an element that have the given name. */
export const childrenOf = (element: XmlElement, name: string): readonly XmlElement[] =>
  element.children.filter((child) => child.name === name);

/** Returns the child with the given name. Throws if there is not exactly one such child. */
export function childOf(element: XmlElement, name: string): XmlElement {
  const [match, more] = childrenOf(element, name);
  if (!match || more) throw new Error(`${element.name} has ${match ? 'several' : 'no'} ${name}`);
  return match;
}
