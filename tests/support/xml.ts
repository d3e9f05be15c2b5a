/** An element of an XML document. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Its own text, sections of CDATA included. */
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

/** The root of a document. Throws where it is not well-formed (XML 1.0, as far as feeds and sitemaps use it: no DTD, no processing instructions). */
export function parseXml(xml: string): XmlElement {
  let at = 0;
  const fail = (what: string): never => {
    throw new Error(`${what} at ${at}: ${xml.slice(at, at + 60)}`);
  };
  const illegal = ILLEGAL.exec(xml);
  if (illegal) throw new Error(`A character XML does not know at ${illegal.index}`);
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(xml);
    if (found) at = pattern.lastIndex;
    return found;
  };

  function element(): XmlElement {
    const name = take(START)?.[1] ?? fail('No element');
    const attributes: Record<string, string> = {};
    for (let found = take(ATTRIBUTE); found; found = take(ATTRIBUTE)) {
      const [, key = '', value = ''] = found;
      if (key in attributes) fail(`The attribute ${key} stands twice`);
      attributes[key] = decoded(value);
    }
    if (take(/\s*\/>/uy)) return { name, attributes, children: [], text: '' };
    if (!take(/\s*>/uy)) fail('A tag that does not end');
    const children: XmlElement[] = [];
    let text = '';
    for (;;) {
      const end = take(END);
      if (end) {
        if (end[1] !== name) fail(`</${name}> is missing`);
        return { name, attributes, children, text };
      }
      const [cdata, words] = [take(CDATA), take(TEXT)];
      if (cdata) text += cdata[1] ?? '';
      if (words) text += words[0].includes(']]>') ? fail(']]> outside of CDATA') : decoded(words[0]);
      if (!cdata && !words) children.push(element());
    }
  }

  take(/<\?xml version="1\.0" encoding="utf-8"\?>\s*/iuy);
  const root = element();
  take(/\s+/uy);
  if (at !== xml.length) fail('Something behind the end');
  return root;
}

function decoded(text: string): string {
  return text.replaceAll(/&([^;\s]*);?/gu, (reference, name: string) => {
    const code = /^#(?:x([0-9a-f]+)|(\d+))$/iu.exec(name);
    const character = code
      ? String.fromCodePoint(code[1] === undefined ? Number(code[2]) : Number.parseInt(code[1], 16))
      : NAMED[name];
    if (character === undefined || !reference.endsWith(';')) throw new Error(`${reference} is no reference`);
    return character;
  });
}

/** The children of a name. */
export const childrenOf = (element: XmlElement, name: string): readonly XmlElement[] =>
  element.children.filter((child) => child.name === name);

/** The one child of a name. Throws where there is none, or more. */
export function childOf(element: XmlElement, name: string): XmlElement {
  const [found, more] = childrenOf(element, name);
  if (!found || more) throw new Error(`${element.name} has ${found ? 'several' : 'no'} ${name}`);
  return found;
}
